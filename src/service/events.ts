/**
 * Reading the log. Observing changes nothing in the room. The cursor is the last seq that was scanned, not
 * the last that matched, so a filter that rarely matches does not make readers scan the same events again.
 */
import type { RoomEvent } from "../domain/event.ts";
import {
  decodeEventTypes,
  type EventFilter,
  type EventView,
  matches,
  type TargetFilter,
  viewOf,
} from "../domain/event-view.ts";
import type { Caller } from "../domain/given.ts";
import { asRoomId, type RoomId } from "../domain/ids.ts";
import { LIMITS } from "../domain/limits.ts";
import { isRefusal, type Refusal, refuse } from "../domain/refusal.ts";
import { isMember } from "../domain/room/membership.ts";
import { roomNotFound } from "../domain/room/refusals.ts";
import { elapsedMs } from "../domain/time.ts";
import { Fault } from "../ports/fault.ts";
import type { RoomSnapshot } from "../ports/store.ts";
import { decodeAgentId, decodeCursor, decodeId, decodeInteger } from "./decode.ts";
import type { Deps } from "./deps.ts";
import { newestEvents } from "./newest-events.ts";
import { markBeforeLook, sleepUntilWorthLooking } from "./sleep.ts";

export interface EventBatch {
  readonly events: readonly EventView[];
  readonly cursorEventSeq: number;
}

export interface GetRoomEventsInput {
  readonly roomId: string;
  /** Without it, the newest events. */
  readonly afterEventSeq?: number;
  readonly limit?: number;
}

export interface FindEventsInput extends EventFilterInput {
  readonly roomId: string;
  readonly limit?: number;
}

/** The newest events that the filter lets through. */
export async function findEvents(
  deps: Deps,
  caller: Caller | null,
  input: FindEventsInput,
): Promise<EventBatch | Refusal> {
  const filter = decodeFilter(caller, input);
  if (isRefusal(filter)) return filter;
  const limit = decodeInteger("limit", input.limit ?? LIMITS.eventsTail, { min: 1, max: LIMITS.eventsPerRead });
  if (isRefusal(limit)) return limit;
  const roomId = decodeId("room_id", input.roomId);
  if (isRefusal(roomId)) return roomId;
  const snapshot = await deps.store.readRoom(asRoomId(roomId));
  if (!snapshot) return roomNotFound(input.roomId);
  const { room } = snapshot;
  const events = await newestEvents(deps.store, room, limit, (event) => matches(filter, event));
  return { events: events.map(viewOf), cursorEventSeq: room.state.lastSeq };
}

export async function getRoomEvents(deps: Deps, input: GetRoomEventsInput): Promise<EventBatch | Refusal> {
  const limit = decodeInteger("limit", input.limit ?? LIMITS.eventsTail, { min: 1, max: LIMITS.eventsPerRead });
  if (isRefusal(limit)) return limit;
  const decoded = decodeId("room_id", input.roomId);
  if (isRefusal(decoded)) return decoded;
  const roomId = asRoomId(decoded);
  const snapshot = await deps.store.readRoom(roomId);
  if (!snapshot) return roomNotFound(input.roomId);
  const { lastSeq } = snapshot.room.state;
  const after = decodeCursor(input.afterEventSeq ?? Math.max(0, lastSeq - limit), lastSeq);
  if (isRefusal(after)) return after;
  const events = await deps.store.readEvents(roomId, after, limit);
  return { events: events.map(viewOf), cursorEventSeq: events.at(-1)?.seq ?? after };
}

export interface EventFilterInput {
  readonly eventTypes?: readonly string[];
  /** `self` (default), `any`, or an agent's id. */
  readonly targetAgentId?: string;
  readonly fromAgentId?: string;
}

export interface WaitForEventsInput extends EventFilterInput {
  readonly roomId: string;
  /** Without it, the wait starts from now. */
  readonly afterEventSeq?: number;
  readonly maxWaitMs?: number;
  readonly signal?: AbortSignal;
}

/** Resolves with the first batch that matches, or with an empty one when the time is up. */
export async function waitForEvents(
  deps: Deps,
  caller: Caller | null,
  input: WaitForEventsInput,
): Promise<EventBatch | Refusal> {
  const filter = decodeFilter(caller, input);
  if (isRefusal(filter)) return filter;
  const decoded = decodeId("room_id", input.roomId);
  if (isRefusal(decoded)) return decoded;
  const roomId = asRoomId(decoded);
  const snapshot = await deps.store.readRoom(roomId);
  if (!snapshot) return roomNotFound(input.roomId);
  const { state, policy } = snapshot.room;
  const after = decodeCursor(input.afterEventSeq ?? state.lastSeq, state.lastSeq);
  if (isRefusal(after)) return after;
  const maxWaitMs = decodeInteger("max_wait_ms", input.maxWaitMs ?? policy.waitMaxMs, { min: 0, max: LIMITS.waitMs });
  if (isRefusal(maxWaitMs)) return maxWaitMs;
  const bell = await deps.bell.subscribe(bellFor(filter, snapshot));
  try {
    const since = deps.clock.now().instant;
    let mark = await markBeforeLook(deps, bell);
    let batch = await scan(deps, roomId, after, filter);
    while (batch.events.length === 0) {
      const leftMs = maxWaitMs - elapsedMs(since, deps.clock.now().instant);
      if (leftMs <= 0) return batch;
      const woken = await sleepUntilWorthLooking(deps, bell, { forMs: leftMs, mark, signal: input.signal });
      if (woken === "aborted") return batch;
      mark = await markBeforeLook(deps, bell);
      batch = await scanAgain(deps, roomId, batch, filter);
    }
    return batch;
  } finally {
    bell.close();
  }
}

/** A member's own bell rings for whatever concerns it; everybody else listens to the bell that always rings. */
function bellFor(filter: EventFilter, { room }: RoomSnapshot) {
  const { target } = filter;
  return target.kind === "self" && isMember(room, target.agentId) ? target.agentId : "all";
}

async function scanAgain(deps: Deps, roomId: RoomId, last: EventBatch, filter: EventFilter): Promise<EventBatch> {
  try {
    return await scan(deps, roomId, last.cursorEventSeq, filter);
  } catch (error) {
    // A passing fault of the store must not end a long wait; the cursor is still right.
    if (error instanceof Fault && error.retry) return last;
    throw error;
  }
}

async function scan(deps: Deps, roomId: RoomId, after: number, filter: EventFilter): Promise<EventBatch> {
  let cursor = after;
  for (;;) {
    const events = await deps.store.readEvents(roomId, cursor, LIMITS.eventsPerScan);
    const found = events.filter((event) => matches(filter, event)).slice(0, LIMITS.eventsPerWait);
    cursor = scannedTo(events, found) ?? cursor;
    if (found.length > 0 || events.length < LIMITS.eventsPerScan) {
      return { events: found.map(viewOf), cursorEventSeq: cursor };
    }
  }
}

/** A full batch ends at its last event, since more matches may follow it; otherwise all was scanned. */
function scannedTo(events: readonly RoomEvent[], found: readonly RoomEvent[]): number | undefined {
  return (found.length === LIMITS.eventsPerWait ? found : events).at(-1)?.seq;
}

function decodeFilter(caller: Caller | null, input: EventFilterInput): EventFilter | Refusal {
  const types = input.eventTypes === undefined ? null : decodeEventTypes(listOf(input.eventTypes));
  if (types !== null && isRefusal(types)) return types;
  const target = decodeTarget(caller, input.targetAgentId ?? "self");
  if (isRefusal(target)) return target;
  const from = input.fromAgentId === undefined ? null : decodeAgentId("from_agent_id", input.fromAgentId);
  if (isRefusal(from)) return from;
  return { types, target, from };
}

/** One name alone is a list of one; anything else that is no list names no type. */
function listOf(types: unknown): readonly string[] {
  return (Array.isArray(types) ? types : [types]).map(String);
}

function decodeTarget(caller: Caller | null, target: string): TargetFilter | Refusal {
  if (target === "any") return { kind: "any" };
  if (target === "self") {
    if (caller) return { kind: "self", agentId: caller.agentId };
    return refuse(
      "agent_id_required",
      "Only a caller with an identity can ask for its own events.",
      "Say who you are, or ask for any target.",
    );
  }
  const agentId = decodeAgentId("target_agent_id", target);
  return isRefusal(agentId) ? agentId : { kind: "agent", agentId };
}
