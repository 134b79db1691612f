/** The part of a room's log that the page has: the newest events without a gap, as far back as it has loaded them. Pure. */
import type { RoomEvent } from "../../core/event.ts";
import type { EventView } from "../../room/rules/event-view.ts";

export interface EventLog {
  /** In their order, without a gap. */
  readonly events: readonly RoomEvent[];
  /** Whether there is more of the log than the page has room for: the oldest was let go. */
  readonly isCut: boolean;
  /** A recording has no older ones, even if its log begins before it. */
  readonly isRecorded?: boolean;
}

export const EMPTY_LOG: EventLog = { events: [], isCut: false };

/** A page that is open for days keeps no more. Older ones can be loaded again. */
const MOST_EVENTS = 20_000;

export function replaced(events: readonly EventView[]): EventLog {
  return { events: events.map(eventOf), isCut: false };
}

/** The newer ones, each once. */
export function withNewer(log: EventLog, newer: readonly EventView[]): EventLog {
  const last = lastSeqOf(log);
  const added = newer.filter(({ eventSeq }) => last === null || eventSeq > last).map(eventOf);
  return added.length === 0 ? log : cut([...log.events, ...added], log.isCut);
}

/** The older ones, each once. What would leave a gap is left out. */
export function withOlder(log: EventLog, older: readonly EventView[]): EventLog {
  const first = firstSeqOf(log);
  if (first === null) return log;
  const added = older.filter(({ eventSeq }) => eventSeq < first).map(eventOf);
  if (added.at(-1)?.seq !== first - 1) return log;
  return { events: [...added, ...log.events], isCut: log.isCut };
}

function cut(events: readonly RoomEvent[], isCut: boolean): EventLog {
  if (events.length <= MOST_EVENTS) return { events, isCut };
  // Half is let go at once, so that not every event copies the rest.
  return { events: events.slice(-MOST_EVENTS / 2), isCut: true };
}

export function lastSeqOf({ events }: EventLog): number | null {
  return events.at(-1)?.seq ?? null;
}

export function firstSeqOf({ events }: EventLog): number | null {
  return events[0]?.seq ?? null;
}

/** How many older events can be loaded. */
export function olderThan(log: EventLog): number {
  return log.isRecorded ? 0 : (firstSeqOf(log) ?? 1) - 1;
}

/** A view has all that an event has, but for the text of a note, which is read with the notes. */
export function eventOf({ eventSeq, eventType, payload, ...columns }: EventView): RoomEvent {
  const whole = eventType === "note_added" ? { body: "", ...payload } : payload;
  return { ...columns, seq: eventSeq, type: eventType, payload: whole } as RoomEvent;
}
