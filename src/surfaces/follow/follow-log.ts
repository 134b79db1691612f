/** Follows the log of one room, and what becomes of its messages, for a reader that may have seen a part of it before. */
import type { RoomEvent } from "../../core/event.ts";
import type { EventId, RoomId } from "../../core/ids.ts";
import type { Deps } from "../../engine/deps.ts";
import { newestEvents } from "../../engine/newest-events.ts";
import { NOTHING_YET, waitUntil } from "../../engine/wait-until.ts";
import type { MarkedRecipient } from "../../peers/rules/picture-talk.ts";
import type { LogCursor } from "../../room/log-stream.ts";
import { messagesAmong, readLog, readMarks } from "./follow-room.ts";

export type MessageMarks = ReadonlyMap<EventId, readonly MarkedRecipient[]>;

export interface LogNews {
  readonly events: readonly RoomEvent[];
  /** Of messages whose marks are new to the reader. */
  readonly marks: MessageMarks;
  /** Whether the events take the place of all that the reader has. */
  readonly isNewest: boolean;
}

/** So much of the log is shown to a reader that has nothing of it. */
const NEWEST_EVENTS = 500;
/** A reader that missed more gets the newest instead. */
const MOST_MISSED = 5000;
/** Of so many messages later marks are told. */
const MOST_WATCHED = 500;

export class LogFollower {
  readonly #deps: Deps;
  readonly #roomId: RoomId;
  readonly #cancel: AbortSignal;
  /** The marks that the reader knows, of messages that may still change. */
  readonly #watched = new Map<EventId, string>();
  #cursor: LogCursor = new Map();

  constructor(follow: { readonly deps: Deps; readonly roomId: RoomId; readonly cancel: AbortSignal }) {
    this.#deps = follow.deps;
    this.#roomId = follow.roomId;
    this.#cancel = follow.cancel;
  }

  /** `afterSeq` is the last event that the reader has. Null if the room is not there. */
  async begin(afterSeq: number | null): Promise<LogNews | null> {
    const { store } = this.#deps;
    const snapshot = await store.readRoom(this.#roomId);
    if (snapshot === null) return null;
    const { room } = snapshot;
    const newest = await newestEvents(store, room, NEWEST_EVENTS, () => true);
    const goesOn = afterSeq !== null && (await this.#canGoOn(afterSeq, room.state.lastSeq));
    const seen = goesOn ? afterSeq : (newest.at(-1)?.seq ?? room.state.lastSeq);
    this.#cursor = new Map([[this.#roomId, seen]]);
    const known = newest.filter(({ seq }) => seq <= seen);
    const marks = await readMarks(this.#deps, messagesAmong(known));
    return { events: goesOn ? [] : newest, marks: this.#unknown(marks), isNewest: !goesOn };
  }

  /** Resolves with what is new; null once it is cancelled. */
  async next(): Promise<LogNews | null> {
    const ended = await waitUntil<LogNews>(this.#deps, {
      name: "all",
      cancel: this.#cancel,
      look: async () => {
        const { events, marks, cursor } = await readLog(this.#deps, this.#cursor, [...this.#watched.keys()]);
        this.#cursor = cursor;
        const unknown = this.#unknown(marks);
        return events.length === 0 && unknown.size === 0
          ? NOTHING_YET
          : { found: { events, marks: unknown, isNewest: false } };
      },
    });
    return "found" in ended ? ended.found : null;
  }

  /** Not if the log ends before, as in a store that was put back; not if a part of the log is gone. */
  async #canGoOn(afterSeq: number, lastSeq: number): Promise<boolean> {
    if (afterSeq > lastSeq || lastSeq - afterSeq > MOST_MISSED) return false;
    const [first] = await this.#deps.store.readEvents(this.#roomId, afterSeq, 1);
    return first === undefined || first.seq === afterSeq + 1;
  }

  /** Those that the reader does not know. From now on it knows them, and those that may change are watched. */
  #unknown(marks: MessageMarks): MessageMarks {
    const unknown = new Map<EventId, readonly MarkedRecipient[]>();
    for (const [id, now] of marks) {
      const text = JSON.stringify(now);
      if (this.#watched.get(id) !== text) unknown.set(id, now);
      // What is dead may be sent again.
      if (now.length > 0 && now.every(({ mark }) => mark === "read")) this.#watched.delete(id);
      else this.#watched.set(id, text);
    }
    const tooMany = this.#watched.size - MOST_WATCHED;
    for (const id of [...this.#watched.keys()].slice(0, Math.max(0, tooMany))) this.#watched.delete(id);
    return unknown;
  }
}
