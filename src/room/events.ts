/** Reading the log of one room. Observing changes nothing in the room. */
import { type AgentId, asRoomId } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { isRefusal, type Refusal } from "../core/refusal.ts";
import { after as addMs } from "../core/time.ts";
import { decodeCursor, decodeId, decodeInteger } from "../engine/decode.ts";
import type { Deps } from "../engine/deps.ts";
import { newestEvents } from "../engine/newest-events.ts";
import type { RoomSnapshot } from "../engine/ports/store.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { decodeFilter, type EventFilterInput, underPresentNames } from "./event-filter.ts";
import { nextLines } from "./log-stream.ts";
import { type EventFilter, type EventView, matches, viewOf } from "./rules/event-view.ts";
import { isMember } from "./rules/membership.ts";
import { roomNotFound } from "./rules/refusals.ts";

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
  const wanted = decodeFilter(caller, input);
  if (isRefusal(wanted)) return wanted;
  const limit = decodeInteger("limit", input.limit ?? LIMITS.eventsTail, { min: 1, max: LIMITS.eventsPerRead });
  if (isRefusal(limit)) return limit;
  const roomId = decodeId("room_id", input.roomId);
  if (isRefusal(roomId)) return roomId;
  const snapshot = await deps.store.readRoom(asRoomId(roomId));
  if (!snapshot) return roomNotFound(input.roomId);
  const { room } = snapshot;
  const filter = await underPresentNames(deps, wanted);
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
  if ((input.afterEventSeq ?? null) === null) {
    const newest = await deps.store.readEventsBefore(roomId, lastSeq + 1, limit);
    return { events: newest.map(viewOf), cursorEventSeq: lastSeq };
  }
  const after = decodeCursor(input.afterEventSeq, lastSeq);
  if (isRefusal(after)) return after;
  const events = await deps.store.readEvents(roomId, after, limit);
  return { events: events.map(viewOf), cursorEventSeq: events.at(-1)?.seq ?? after };
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
  const wanted = decodeFilter(caller, input);
  if (isRefusal(wanted)) return wanted;
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
  const until = addMs(deps.clock.now().instant, maxWaitMs);
  const filter = await underPresentNames(deps, wanted);
  const name = bellFor(filter, snapshot);
  const cursor = new Map([[roomId, after]]);
  const lines = await nextLines(deps, { caller, cursor, filter, name, until, cancel: input.signal });
  if (isRefusal(lines)) return lines;
  return { events: lines.events.map(viewOf), cursorEventSeq: lines.cursor.get(roomId) ?? after };
}

/** A member's own bell rings for whatever concerns it; everybody else listens to the bell that always rings. */
function bellFor({ target }: EventFilter, { room }: RoomSnapshot): AgentId | "all" {
  if (target.kind !== "self") return "all";
  const [name, another] = [...target.who.names].filter((own) => isMember(room, own));
  return name !== undefined && another === undefined ? name : "all";
}
