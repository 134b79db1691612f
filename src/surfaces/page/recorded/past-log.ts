/**
 * The log of a recording, and the room as it was after each of its events. Positions count events: 0 is the moment before
 * the first. If nothing followed before the recording was made, the last position is that moment.
 */
import type { RoomEvent } from "../../../core/event.ts";
import { type Past, pastAfter, pastPicture } from "../../../peers/rules/past.ts";
import type { RoomPicture } from "../../../peers/rules/picture.ts";
import type { RecordedStart, Recording } from "../../wire/recording.ts";

/** So many events are folded at most for one look, which takes a small part of a frame. */
const BETWEEN_KEPT = 200;

export class PastLog {
  readonly recording: Recording;
  /** The room after each so many events, as far as a look has come. */
  readonly #kept: Past[];

  constructor(recording: Recording) {
    this.recording = recording;
    this.#kept = [fromJson(recording.start)];
  }

  get last(): number {
    return this.recording.events.length;
  }

  /** Whether it is the moment of the recording, at which more is known than the log tells. */
  isEnd(position: number): boolean {
    return position === this.last && this.recording.end !== null;
  }

  pastAt(position: number): Past {
    const { events } = this.recording;
    const wanted = Math.floor(position / BETWEEN_KEPT);
    for (let next = this.#kept.length; next <= wanted; next += 1) {
      const from = (next - 1) * BETWEEN_KEPT;
      this.#kept.push(folded(this.#keptAt(next - 1), events, from, from + BETWEEN_KEPT));
    }
    return folded(this.#keptAt(wanted), events, wanted * BETWEEN_KEPT, position);
  }

  #keptAt(index: number): Past {
    return this.#kept[index] ?? fromJson(this.recording.start);
  }

  pictureAt(position: number): RoomPicture {
    const { place, end } = this.recording;
    if (this.isEnd(position) && end !== null) return end.picture;
    return pastPicture(this.pastAt(position), place, this.timeAt(position));
  }

  eventsTo(position: number): readonly RoomEvent[] {
    return this.recording.events.slice(0, position);
  }

  /** The event that brought the room to this position. */
  eventAt(position: number): RoomEvent | null {
    return this.recording.events[position - 1] ?? null;
  }

  timeAt(position: number): string {
    const { from, end } = this.recording;
    if (this.isEnd(position) && end !== null) return end.picture.asOf;
    return this.eventAt(position)?.createdAt ?? from;
  }
}

function folded(past: Past, events: readonly RoomEvent[], from: number, to: number): Past {
  return events.slice(from, to).reduce(pastAfter, past);
}

function fromJson({ state, ...start }: RecordedStart): Past {
  const members = new Map(state.members.map((member) => [member.agentId, member]));
  return { ...start, state: { ...state, members } };
}
