/** Events as readers see them, and the filters by which they are chosen. */
import { EVENT_TYPES, type EventType, isEventType, type RoomEvent } from "./event.ts";
import type { Handoff } from "./handoff.ts";
import type { AgentId, EventId, RoomId } from "./ids.ts";
import { type Refusal, refuse } from "./refusal.ts";

export interface EventView {
  readonly eventSeq: number;
  readonly eventId: EventId;
  readonly roomId: RoomId;
  readonly turnId: number;
  readonly eventType: EventType;
  readonly fromAgentId: AgentId | null;
  readonly toAgentId: AgentId | null;
  readonly handoff: Handoff | null;
  readonly reason: string | null;
  readonly createdAt: string;
  readonly payload: object;
}

export function viewOf(event: RoomEvent): EventView {
  const { seq, type, ...columns } = event;
  return { ...columns, eventSeq: seq, eventType: type, payload: payloadView(event) };
}

/** A note's text is read with the notes; the log's readers get the preview, so that a stream stays small. */
function payloadView(event: RoomEvent): object {
  if (event.type !== "note_added") return event.payload;
  const { body: _, ...shown } = event.payload;
  return shown;
}

/** Whose events: `self` is what concerns me, `any` everything, an id strictly what is addressed to it. */
export type TargetFilter =
  | { readonly kind: "self"; readonly agentId: AgentId }
  | { readonly kind: "any" }
  | { readonly kind: "agent"; readonly agentId: AgentId };

export interface EventFilter {
  readonly types: ReadonlySet<EventType> | null;
  readonly target: TargetFilter;
  readonly from: AgentId | null;
}

export function matches(filter: EventFilter, event: RoomEvent): boolean {
  if (filter.types && !filter.types.has(event.type)) return false;
  if (filter.from !== null && event.fromAgentId !== filter.from) return false;
  return concerns(filter.target, event);
}

function concerns(target: TargetFilter, event: RoomEvent): boolean {
  if (target.kind === "any") return true;
  if (target.kind === "agent") return event.toAgentId === target.agentId;
  const me = target.agentId;
  if (event.type === "message_sent") {
    return event.toAgentId === me || (event.toAgentId === null && event.fromAgentId !== me);
  }
  return namesOf(event).includes(me);
}

/** The agents an event is about, other than its author. */
export function namesOf(event: RoomEvent): readonly AgentId[] {
  const names = event.toAgentId === null ? [] : [event.toAgentId];
  if ("reservedFor" in event.payload && event.payload.reservedFor !== null) names.push(event.payload.reservedFor);
  if ("revokedAgentId" in event.payload && event.payload.revokedAgentId !== null) {
    names.push(event.payload.revokedAgentId);
  }
  return names;
}

export function decodeEventTypes(types: readonly string[]): ReadonlySet<EventType> | Refusal {
  const unknown = types.filter((type) => !isEventType(type));
  if (types.length > 0 && unknown.length === 0) return new Set(types as EventType[]);
  return refuse(
    "invalid_event_type_filter",
    unknown.length > 0 ? `There is no event type ${unknown.join(", ")}.` : "The filter names no event type.",
    "Use the event types listed in the facts, or no filter.",
    { unknown, event_types: EVENT_TYPES },
  );
}
