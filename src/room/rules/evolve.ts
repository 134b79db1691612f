/** `evolve` folds the log into the state: the only place that says what an event means. */
import type { EventOf, RoomEvent } from "../../core/event.ts";
import type { AgentId } from "../../core/ids.ts";
import { invariant, unreachable } from "../../core/invariant.ts";
import {
  type AttachedHandoff,
  type Member,
  type Reservation,
  type RoomState,
  withEntry,
  withoutEntry,
} from "./room.ts";

/** So many checks of a turn go into its handoff. */
const MOST_CHECKS = 20;

export function evolve(state: RoomState, event: RoomEvent): RoomState {
  invariant(event.seq === state.lastSeq + 1, `event ${event.seq} does not follow ${state.lastSeq}`);
  return { ...applied(state, event), lastSeq: event.seq };
}

function applied(state: RoomState, event: RoomEvent): RoomState {
  switch (event.type) {
    case "claim":
      return granted(state, author(event), event.turnId, event.payload.gitHead);
    case "takeover":
      return granted(stoppedHolding(state, event.seq), author(event), event.turnId, event.payload.gitHead);
    case "release":
      return freed(withHandoff(stoppedHolding(state, event.seq), event), event.payload.reservedFor);
    case "pass":
      return reserved(withHandoff(stoppedHolding(state, event.seq), event), {
        agentId: target(event),
        via: "pass",
        givenBy: null,
      });
    case "given":
      return reserved(stoppedHolding(state, event.seq), {
        agentId: target(event),
        via: "pass",
        givenBy: author(event),
      });
    case "paused":
      return { ...state, paused: { by: author(event), since: event.createdAt, reason: event.reason } };
    case "resumed":
      return resumed({ ...state, paused: null }, event.payload.reservedFor);
    case "reservation_expired":
      return freed(state, event.payload.reservedFor);
    case "close":
      return { ...stoppedHolding(state, event.seq), status: "closed", owner: null, reservation: null, paused: null };
    case "reopen":
      return { ...state, status: "idle" };
    case "member_joined":
      return joined(state, event);
    case "member_left":
      return departed(state, author(event), event.payload);
    case "kick":
      return departed(state, target(event), {
        wasOwner: event.payload.targetWasOwner,
        wasReservedFor: event.payload.targetWasReservedFor,
        reservedFor: event.payload.reservedFor,
      });
    case "session_superseded":
      return renamed(state, event.payload.supersededAgentId, author(event));
    case "state_changed":
      return withMember(state, author(event), (member) => ({ ...member, card: event.payload.card }));
    case "check_run":
      return { ...state, checks: [...state.checks, event.payload].slice(-MOST_CHECKS) };
    case "evidence_attached":
      return { ...state, handoff: withEvidence(state.handoff, event) };
    case "policy_changed":
    case "message_sent":
    case "note_added":
    case "note_resolved":
    case "foreign_write":
      return state;
    default:
      return unreachable(event);
  }
}

function granted(state: RoomState, owner: AgentId, turnId: number, turnHead: string | null): RoomState {
  invariant(turnId === state.turnId + 1, `turn ${turnId} does not follow ${state.turnId}`);
  return { ...state, status: "owned", owner, turnId, turnHead, checks: [], reservation: null };
}

function reserved(state: RoomState, reservation: Reservation): RoomState {
  return { ...state, status: "reserved", owner: null, reservation };
}

function freed(state: RoomState, next: AgentId | null): RoomState {
  if (next !== null) return reserved(state, { agentId: next, via: "sequence", givenBy: null });
  return { ...state, status: "idle", owner: null, reservation: null };
}

/** Members that came to wait while nobody held the stick are served in their order, as after a release. */
function resumed(state: RoomState, next: AgentId | null): RoomState {
  return next === null ? state : freed(state, next);
}

/** Holding ends at this event: the former owner goes to the end of the queue. */
function stoppedHolding(state: RoomState, seq: number): RoomState {
  if (state.owner === null) return state;
  return withMember(state, state.owner, (member) => ({ ...member, heldSeq: seq }));
}

function withHandoff(state: RoomState, event: EventOf<"release"> | EventOf<"pass">): RoomState {
  if (event.type === "release" && event.payload.givenUp) return state;
  invariant(event.handoff !== null, `${event.type} without a handoff`);
  return {
    ...state,
    handoff: { handoff: event.handoff, fromAgentId: author(event), seq: event.seq, evidenceSeq: null },
  };
}

/** A later turn may have replaced the handoff that it belongs to. */
export function withEvidence(
  attached: AttachedHandoff | null,
  { seq, payload: { handoffSeq, evidence } }: EventOf<"evidence_attached">,
): AttachedHandoff | null {
  if (attached?.seq !== handoffSeq) return attached;
  return { ...attached, handoff: { ...attached.handoff, evidence }, evidenceSeq: seq };
}

function joined(state: RoomState, event: EventOf<"member_joined">): RoomState {
  const agentId = author(event);
  const known = state.members.get(agentId);
  const member: Member = {
    agentId,
    harness: event.payload.harness,
    joinedSeq: event.seq,
    heldSeq: known?.heldSeq ?? null,
    card: known?.card ?? null,
  };
  return { ...state, members: withEntry(state.members, agentId, member) };
}

function departed(
  state: RoomState,
  agentId: AgentId,
  how: { readonly wasOwner: boolean; readonly wasReservedFor: boolean; readonly reservedFor: AgentId | null },
): RoomState {
  const rest = { ...state, members: withoutEntry(state.members, agentId) };
  return how.wasOwner || how.wasReservedFor ? freed(rest, how.reservedFor) : rest;
}

/** One member under two names becomes one: the new name gets all that the old one had. */
function renamed(state: RoomState, from: AgentId, to: AgentId): RoomState {
  const former = state.members.get(from);
  if (!former || from === to) return state;
  const members = withEntry(withoutEntry(state.members, from), to, mergedMember(state.members.get(to), former, to));
  const owner = state.owner === from ? to : state.owner;
  const reservation = state.reservation?.agentId === from ? { ...state.reservation, agentId: to } : state.reservation;
  const handoff = state.handoff?.fromAgentId === from ? { ...state.handoff, fromAgentId: to } : state.handoff;
  return { ...state, members, owner, reservation, handoff };
}

/** One member has been there since it first joined, and has held when it last held, under whichever name. */
function mergedMember(own: Member | undefined, former: Member, agentId: AgentId): Member {
  if (!own) return { ...former, agentId };
  const joinedSeq = Math.min(own.joinedSeq, former.joinedSeq);
  const held = Math.max(own.heldSeq ?? 0, former.heldSeq ?? 0);
  return { ...own, joinedSeq, heldSeq: held === 0 ? null : held, card: own.card ?? former.card };
}

function withMember(state: RoomState, agentId: AgentId, change: (member: Member) => Member): RoomState {
  const member = state.members.get(agentId);
  if (!member) return state;
  return { ...state, members: withEntry(state.members, agentId, change(member)) };
}

function author(event: RoomEvent): AgentId {
  invariant(event.fromAgentId !== null, `${event.type} without an author`);
  return event.fromAgentId;
}

function target(event: RoomEvent): AgentId {
  invariant(event.toAgentId !== null, `${event.type} without a target`);
  return event.toAgentId;
}
