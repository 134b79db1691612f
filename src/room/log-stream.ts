/**
 * The logs of several rooms as one stream. A reader goes on where it stopped: its cursor names, for each room, the last
 * event that it has seen. So each event comes once, and the events of one room come in order, however often the stream
 * is cut and resumed. Events of different rooms are ordered by wall time as far as possible.
 *
 * The cursor is the last event that was scanned, not the last that matched, so that a filter that rarely matches does
 * not make readers scan the same events again.
 */
import type { RoomEvent } from "../core/event.ts";
import type { AgentId, RoomId } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import type { Deadline } from "../core/time.ts";
import type { Deps } from "../engine/deps.ts";
import { waitUntil } from "../engine/wait-until.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { underPresentNames } from "./event-filter.ts";
import { type EventFilter, matches } from "./rules/event-view.ts";

/** For each room, the last event that was seen. */
export type LogCursor = ReadonlyMap<RoomId, number>;

export interface LogLines {
  readonly events: readonly RoomEvent[];
  readonly cursor: LogCursor;
  /** The filter, with the present names that the log has told of. */
  readonly filter: EventFilter;
}

/** The cursor of a reader that stopped at this event, in the middle of a batch. */
export function seenTo(cursor: LogCursor, { roomId, seq }: Pick<RoomEvent, "roomId" | "seq">): LogCursor {
  return new Map(cursor).set(roomId, seq);
}

export interface FollowLogs extends Omit<LogLines, "events"> {
  readonly caller: Caller | null;
  /** The agent whose bell rings for the events that pass the filter. The bell of `all` rings for every event. */
  readonly name: AgentId | "all";
  readonly until: Deadline;
  readonly cancel: AbortSignal | undefined;
}

/** Resolves with the first events that match, or with none when the time is up or the reader stopped. */
export async function nextLines(deps: Deps, follow: FollowLogs) {
  const { caller, name, until, cancel, cursor, filter } = follow;
  let lines: LogLines = { events: [], cursor, filter };
  const ended = await waitUntil<LogLines>(deps, {
    name,
    caller,
    until,
    cancel,
    look: async () => {
      lines = await readLines(deps, lines);
      if (lines.events.length > 0) return { found: lines };
      // After a renaming, the bell of the new name rings, and this process may not know that name yet.
      return lines.filter === filter ? {} : { name: "all" };
    },
  });
  if ("found" in ended) return ended.found;
  return ended.end === "session_ended" ? ended.refusal : lines;
}

/** The events after the cursor. Each room has its share, so a busy room does not hold back the others. */
export async function readLines({ store }: Deps, from: Omit<LogLines, "events">): Promise<LogLines> {
  const share = Math.max(1, Math.floor(LIMITS.eventsPerWait / from.cursor.size));
  const cursor = new Map(from.cursor);
  const found: RoomEvent[][] = [];
  let { filter } = from;
  for (const [roomId, seen] of from.cursor) {
    for (let after = seen; ; ) {
      const events = await store.readEvents(roomId, after, LIMITS.eventsPerScan);
      // Names are read only now: if an event uses a new name, the agent had that name before the event was recorded.
      if (events.length > 0) filter = await underPresentNames({ store }, filter, events);
      const matching = events.filter((event) => matches(filter, event)).slice(0, share);
      // A full share ends at its last event, since more matches may follow it; otherwise all was scanned.
      after = (matching.length === share ? matching : events).at(-1)?.seq ?? after;
      cursor.set(roomId, after);
      found.push(matching);
      if (matching.length > 0 || events.length < LIMITS.eventsPerScan) break;
    }
  }
  return { events: merged(found), cursor, filter };
}

/** Ordered by wall time, but never against the order of a room, because the wall clock may jump. */
function merged(rooms: readonly (readonly RoomEvent[])[]): readonly RoomEvent[] {
  const queues = rooms.filter((events) => events.length > 0).map((events) => [...events]);
  const all: RoomEvent[] = [];
  for (;;) {
    const [first, ...others] = queues.filter((queue) => queue.length > 0);
    if (!first) return all;
    const next = others.reduce((best, queue) => (timeOf(queue) < timeOf(best) ? queue : best), first);
    all.push(...next.splice(0, 1));
  }
}

function timeOf([event]: readonly RoomEvent[]): string {
  return event?.createdAt ?? "";
}
