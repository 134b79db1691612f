/** Reading the log of one room. Observing changes nothing in the room. */
import { id, integer, optional, shaped, unlisted } from "../core/field.ts";
import { type AgentId, asRoomId } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { isRefusal, type Refusal } from "../core/refusal.ts";
import { after as addMs } from "../core/time.ts";
import { decodeCursor, decodeId, decodeInteger } from "../engine/decode.ts";
import type { Deps } from "../engine/deps.ts";
import { newestEvents } from "../engine/newest-events.ts";
import { operation } from "../engine/operation.ts";
import type { RoomSnapshot } from "../engine/ports/store.ts";
import { waitLimit } from "../engine/wait-limit.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { decodeFilter, type EventFilterInput, type FilterRefusal, underPresentNames } from "./event-filter.ts";
import { nextLines } from "./log-stream.ts";
import { type EventFilter, type EventView, isBefore, matches, viewOf } from "./rules/event-view.ts";
import { isMember } from "./rules/membership.ts";
import { roomNotFound } from "./rules/refusals.ts";
import type { Room } from "./rules/room.ts";

export interface EventBatch {
  readonly events: readonly EventView[];
  readonly cursorEventSeq: number;
}

export interface WaitForEventsInput extends EventFilterInput {
  readonly roomId: string;
  /** Without it, the wait starts from now. */
  readonly afterEventSeq?: number;
  readonly maxWaitMs?: number;
  readonly signal?: AbortSignal;
}

type EventsRefusal = FilterRefusal | "invalid_cursor" | "room_not_found" | "session_ended";

/** Resolves with the first batch that matches, or with an empty one when the time is up. */
export async function untilEvents(
  deps: Deps,
  caller: Caller | null,
  input: WaitForEventsInput,
): Promise<EventBatch | Refusal<EventsRefusal>> {
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
  return nextEvents(deps, caller, snapshot, { wanted, after, maxWaitMs, signal: input.signal });
}

interface NextEvents {
  readonly wanted: EventFilter;
  readonly after: number;
  readonly maxWaitMs: number;
  readonly signal: AbortSignal | undefined;
}

/** The same for a reader that has the room, and asks for what there can be. */
export async function nextEvents(
  deps: Deps,
  caller: Caller | null,
  { room }: RoomSnapshot,
  { wanted, after, maxWaitMs, signal: cancel }: NextEvents,
): Promise<EventBatch | Refusal<"session_ended">> {
  const until = addMs(deps.clock.now().instant, maxWaitMs);
  const filter = await underPresentNames(deps, wanted);
  const name = bellFor(filter, room);
  const lines = await nextLines(deps, { caller, cursor: new Map([[room.id, after]]), filter, name, until, cancel });
  if (isRefusal(lines)) return lines;
  return { events: lines.events.map(viewOf), cursorEventSeq: lines.cursor.get(room.id) ?? after };
}

/** A member's own bell rings for all that concerns it; other readers listen to the bell that always rings. */
function bellFor({ target }: EventFilter, room: Room): AgentId | "all" {
  if (target.kind !== "self") return "all";
  const [name, another] = [...target.who.names].filter((own) => isMember(room, own));
  return name !== undefined && another === undefined ? name : "all";
}

/** Judged with the log. */
const CURSOR = shaped<number>({ type: "integer" }, (_name, raw) => raw as number);

/** Judged with the other filters. */
const TIME = shaped<string>({ type: "string" }, (_name, raw) => raw as string);

const FILTER = {
  eventType: shaped<readonly string[]>(
    { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] },
    (_name, raw) => (Array.isArray(raw) ? raw : [raw]),
  ),
  // `self`, `any`, or an agent's id.
  targetAgentId: id(),
  fromAgentId: id(),
};

export const getRoomEvents = operation({
  name: "get_room_events",
  summary: "The room's log after a cursor, or its newest events.",
  needs: { store: "read", caller: "anyone", room: "existing" },
  input: {
    afterEventSeq: optional(CURSOR),
    limit: optional(integer({ min: 1, max: LIMITS.eventsPerRead })),
    eventType: unlisted(FILTER.eventType),
    targetAgentId: unlisted(FILTER.targetAgentId),
    fromAgentId: unlisted(FILTER.fromAgentId),
    // What one agent did or what concerns it, one turn, and the time from which on.
    aboutAgentId: unlisted(id()),
    turnId: unlisted(integer({ min: 0, max: Number.MAX_SAFE_INTEGER })),
    since: unlisted(TIME),
  },
  refusals: ["invalid_cursor", "invalid_event_type_filter"],
  mcp: "gateway",
  async run({ deps, caller, roomId }, { afterEventSeq, limit = LIMITS.eventsTail, ...filter }) {
    const input = { roomId, ...filterOf({ targetAgentId: "any", ...filter }) };
    const isFiltered = Object.keys(filter).length > 0;
    if (isFiltered && afterEventSeq !== undefined)
      return untilEvents(deps, caller, { ...input, afterEventSeq, maxWaitMs: 0 });
    const snapshot = await deps.store.readRoom(roomId);
    if (!snapshot) return roomNotFound(roomId);
    const { room } = snapshot;
    const { lastSeq } = room.state;
    if (afterEventSeq === undefined) {
      const wanted = decodeFilter(caller, input);
      if (isRefusal(wanted)) return wanted;
      const kept = await underPresentNames(deps, wanted);
      const events = await newestEvents(
        deps.store,
        room,
        limit,
        (event) => matches(kept, event),
        (event) => isBefore(kept, event),
      );
      return { events: events.map(viewOf), cursorEventSeq: lastSeq };
    }
    const after = decodeCursor(afterEventSeq, lastSeq);
    if (isRefusal(after)) return after;
    const events = await deps.store.readEvents(roomId, after, limit);
    return { events: events.map(viewOf), cursorEventSeq: events.at(-1)?.seq ?? after };
  },
});

export const waitForEvents = operation({
  name: "wait_for_events",
  summary:
    "Watches the log without taking part: returns the first events after the cursor that match. target self (default) is what concerns you, any is all.",
  needs: { store: "read", caller: "anyone", room: "existing" },
  input: {
    afterEventSeq: optional(CURSOR),
    eventType: optional(FILTER.eventType),
    targetAgentId: optional(FILTER.targetAgentId),
    fromAgentId: optional(FILTER.fromAgentId),
    maxWaitMs: optional(integer()),
  },
  refusals: ["invalid_cursor", "invalid_event_type_filter"],
  mcp: "gateway",
  async run({ deps, caller, roomId }, { afterEventSeq, maxWaitMs, ...filter }, call) {
    const limit = await waitLimit(deps, roomId, call, maxWaitMs);
    const after = afterEventSeq === undefined ? {} : { afterEventSeq };
    const cancel = call.cancel && { signal: call.cancel };
    return untilEvents(deps, caller, { roomId, ...filterOf(filter), ...after, ...limit, ...cancel });
  },
});

function filterOf({
  eventType,
  ...filter
}: Omit<EventFilterInput, "eventTypes"> & { readonly eventType?: readonly string[] }): EventFilterInput {
  return eventType === undefined ? filter : { ...filter, eventTypes: eventType };
}
