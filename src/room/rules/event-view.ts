/** Events as readers see them, and the filters by which they are chosen. */
import { EVENT_TYPES, type EventType, isEventType, type RoomEvent } from "../../core/event.ts";
import type { Handoff } from "../../core/handoff.ts";
import type { AgentId, EventId, RoomId } from "../../core/ids.ts";
import { type Refusal, refuse } from "../../core/refusal.ts";
import { shortened } from "../../core/visible.ts";

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

/** An agent, by the names under which it is known. */
export interface AgentNames {
  /** The name by which it was asked for. */
  readonly agentId: AgentId;
  readonly names: ReadonlySet<AgentId>;
}

/** Whose events: `self` is what concerns me, `any` everything, an id strictly what is addressed to it. */
export type TargetFilter = { readonly kind: "any" } | { readonly kind: "self" | "agent"; readonly who: AgentNames };

export interface EventFilter {
  readonly types: ReadonlySet<EventType> | null;
  readonly target: TargetFilter;
  readonly from: AgentNames | null;
  /** What this agent did, and what was done to it or said to it. */
  readonly about?: AgentNames | null;
  readonly turnId?: number | null;
  /** Wall time; nothing older. */
  readonly since?: string | null;
}

export function matches(filter: EventFilter, event: RoomEvent): boolean {
  const { types, from, about = null, turnId = null, since = null } = filter;
  if (types && !types.has(event.type)) return false;
  if (from !== null && !isAmong(from, event.fromAgentId)) return false;
  if (turnId !== null && event.turnId !== turnId) return false;
  if (since !== null && event.createdAt < since) return false;
  if (about !== null && !isAmong(about, event.fromAgentId) && !namesOf(event).some((name) => about.names.has(name)))
    return false;
  return concerns(filter.target, event);
}

/** Whether no event before this one matches: turns are counted upwards, and time only rarely goes backwards. */
export function isBefore(
  { turnId = null, since = null }: Pick<EventFilter, "turnId" | "since">,
  event: RoomEvent,
): boolean {
  return (turnId !== null && event.turnId < turnId) || (since !== null && event.createdAt < since);
}

function isAmong({ names }: AgentNames, agentId: AgentId | null): boolean {
  return agentId !== null && names.has(agentId);
}

function concerns(target: TargetFilter, event: RoomEvent): boolean {
  if (target.kind === "any") return true;
  const { kind, who } = target;
  if (kind === "agent") return isAmong(who, event.toAgentId);
  if (event.type === "message_sent") {
    return event.toAgentId === null ? !isAmong(who, event.fromAgentId) : isAmong(who, event.toAgentId);
  }
  return namesOf(event).some((name) => who.names.has(name));
}

/** These names, and those under which the same agents were known before and after, by what the events tell. */
export function withNamesIn(events: readonly RoomEvent[], names: ReadonlySet<AgentId>): ReadonlySet<AgentId> {
  const renamings = events.filter((event) => event.type === "session_superseded");
  const all = new Set(names);
  // Forwards for an agent's later names, backwards for its earlier ones.
  for (const { fromAgentId, payload } of [...renamings, ...renamings.toReversed()]) {
    const pair = [fromAgentId, payload.supersededAgentId].filter((name) => name !== null);
    if (pair.some((name) => all.has(name))) for (const name of pair) all.add(name);
  }
  return all;
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

/** A refusal repeats no more of them. */
const MOST_UNKNOWN = 10;

export function decodeEventTypes(
  types: readonly string[],
): ReadonlySet<EventType> | Refusal<"invalid_event_type_filter"> {
  const known = types.filter(isEventType);
  if (types.length > 0 && known.length === types.length) return new Set(known);
  const unknown = types
    .filter((type) => !isEventType(type))
    .slice(0, MOST_UNKNOWN)
    .map(shortened);
  return refuse(
    "invalid_event_type_filter",
    unknown.length > 0 ? `There is no event type ${unknown.join(", ")}.` : "The filter names no event type.",
    "Use the event types listed in the facts, or no filter.",
    { unknown, event_types: EVENT_TYPES },
  );
}
