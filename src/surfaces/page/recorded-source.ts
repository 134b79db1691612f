/**
 * The data of a page that is a recording. Nothing changes by itself: the person moves a moment, and the page shows the
 * room as of then. Marks of messages are those of the moment at which the recording was made, so they are shown there alone.
 */
import type { EventId, RoomId } from "../../core/ids.ts";
import type { MarkedRecipient } from "../../peers/rules/picture-talk.ts";
import type { Recording } from "../wire/recording.ts";
import { EMPTY_STATE, type PageState } from "./page-state.ts";
import { PastLog } from "./recorded/past-log.ts";
import { answerFrom } from "./recorded/recorded-answers.ts";
import type { PageSource } from "./source.ts";

const NO_MARKS: ReadonlyMap<EventId, readonly MarkedRecipient[]> = new Map();

export class RecordedSource implements PageSource {
  readonly log: PastLog;
  readonly #listeners = new Set<() => void>();
  readonly #marks: ReadonlyMap<EventId, readonly MarkedRecipient[]>;
  #position: number;
  #openRoom: RoomId | null;
  #state: PageState;

  constructor(recording: Recording) {
    this.log = new PastLog(recording);
    this.#marks = new Map(recording.end?.marks.map(({ messageId, marks }) => [messageId, marks]));
    this.#position = this.log.last;
    this.#openRoom = recording.place.roomId;
    this.#state = this.#stateNow();
  }

  readonly state = () => this.#state;

  readonly subscribe = (changed: () => void) => {
    this.#listeners.add(changed);
    return () => void this.#listeners.delete(changed);
  };

  readonly ask: PageSource["ask"] = async (name, input) =>
    answerFrom({ log: this.log, position: this.#position }, name, input);

  readonly open = (roomId: string | null) => {
    if (roomId === this.#openRoom) return;
    this.#openRoom = roomId as RoomId | null;
    this.#change();
  };

  /** All that there is has been loaded. */
  readonly loadOlder = async () => undefined;

  /** How many events have happened at the moment that is shown. */
  readonly position = () => this.#position;

  readonly moveTo = (position: number) => {
    const within = Math.min(Math.max(0, Math.round(position)), this.log.last);
    if (within === this.#position || Number.isNaN(within)) return;
    this.#position = within;
    this.#change();
  };

  #change(): void {
    this.#state = this.#stateNow();
    for (const changed of this.#listeners) changed();
  }

  #stateNow(): PageState {
    const { log } = this;
    const { place, version } = log.recording;
    const marks = log.isEnd(this.#position) ? this.#marks : NO_MARKS;
    const events = { events: log.eventsTo(this.#position), isCut: false, isRecorded: true };
    return {
      ...EMPTY_STATE,
      link: { kind: "recorded", isPast: !log.isEnd(this.#position) },
      version,
      here: place.roomId,
      rooms: [log.pictureAt(this.#position)],
      hasRooms: true,
      open: this.#openRoom === null ? null : { roomId: this.#openRoom, marks, log: events },
    };
  }
}

/** Reads the recording that a page carries. Rejects if it is damaged. */
export async function openRecording(element: { readonly textContent: string | null }): Promise<RecordedSource> {
  const text = atob(element.textContent ?? "");
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new RecordedSource((await new Response(stream).json()) as Recording);
}
