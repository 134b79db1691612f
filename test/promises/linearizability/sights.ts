/** What a look or a refusal says about the room, and whether the room was like that at a position of the log. */
import type { Grounds } from "./grounds.ts";
import type { Leases } from "./leases.ts";
import type { Picture } from "./model.ts";
import type { Answer, Operation, Token } from "./operation.ts";
import type { Timeline } from "./timeline.ts";

export interface Knowledge {
  readonly timeline: Timeline;
  readonly leases: Leases;
  readonly grounds: Grounds;
}

type AnswerOf<Kind extends Answer["is"]> = Extract<Answer, { readonly is: Kind }>;

/** Whether the answer is true of the room as it was after `position`. */
export function isTrueAt(position: number, operation: Operation, known: Knowledge): boolean {
  const { answer, agent } = operation;
  const room = known.timeline.at(position);
  const isMember = known.timeline.isMember(agent, position);
  if (answer === null) return true;
  switch (answer.is) {
    case "joined":
      return (
        answer.cursor === position &&
        isMember &&
        answer.memberCount === room.memberCount &&
        showsState(answer.state, room, operation, known)
      );
    case "your_turn":
      return holds(room, operation, answer, known) && sameHandoff(room, answer);
    case "takeover_available":
      return isMember && showsStick({ ...answer, reservedFor: null }, room, operation, known);
    case "not_yet":
      return isMember && showsStick(answer, room, operation, known) && mustWait(room, operation);
    case "renewed":
      return holds(room, operation, tokenOf(operation), known) && answer.turnId === room.turnId;
    case "state":
      return isSameRoom(answer, room, operation, known) && answer.handoff === room.handoff;
    case "listed":
      return isSameRoom(answer, room, operation, known);
    case "events":
      return showsLog(position, operation, answer);
    case "refused":
      return isRefusalTrue(position, operation, answer, known);
    case "closed":
    case "released":
    case "passed":
    case "taken":
    case "left":
    case "noted":
      // Closing is not part of the experiment; the others are no looks but effects, see effects.ts.
      return false;
    case "fault":
    case "crash":
      return true;
    default:
      return answer satisfies never;
  }
}

function isSameRoom(
  answer: AnswerOf<"state"> | AnswerOf<"listed">,
  room: Picture,
  operation: Operation,
  known: Knowledge,
): boolean {
  return answer.memberCount === room.memberCount && showsStick(answer, room, operation, known);
}

function showsStick(
  seen: { turnId: number; owner: string | null; reservedFor: string | null; state: string },
  room: Picture,
  operation: Operation,
  known: Knowledge,
): boolean {
  return (
    seen.turnId === room.turnId &&
    seen.owner === room.owner &&
    seen.reservedFor === room.reservedFor &&
    showsState(seen.state, room, operation, known)
  );
}

/** The derived state: what time may have made of the stored one. */
function showsState(state: string, room: Picture, operation: Operation, { grounds }: Knowledge): boolean {
  if (state === "owner_gone") return room.owner !== null && grounds.mayBeGone(room.owner, operation.answeredAt);
  if (state === "stale_owner") return room.owner !== null && grounds.mayHaveExpired(room.turnId, operation);
  return state === room.status || (state === "dormant" && room.status === "idle");
}

/** An agent that is told to wait may not have been entitled to the stick. */
function mustWait(room: Picture, { agent, request }: Operation): boolean {
  if (room.owner === agent || room.reservedFor === agent) return false;
  const wanted = request.kind === "wait" && request.claim;
  return room.status !== "idle" || !wanted || room.stepsBack === agent;
}

function holds(room: Picture, { agent }: Operation, { turnId, leaseId }: Token, { leases }: Knowledge): boolean {
  return room.owner === agent && room.turnId === turnId && leases.fits(turnId, leaseId);
}

export function sameHandoff(room: Picture, answer: { handoff: string | null; from?: string | null }): boolean {
  return answer.handoff === room.handoff && (answer.from === undefined || answer.from === room.handoffFrom);
}

/** A read that was not cut short by its limit ends where the log ended then. */
function showsLog(position: number, { request }: Operation, { events, cursor }: AnswerOf<"events">): boolean {
  const cut = request.kind === "events" && events.length === request.limit;
  return cut ? position >= cursor : position === cursor;
}

function tokenOf({ request }: Operation): Token {
  return "leaseId" in request ? request : { turnId: -1, leaseId: "" };
}

const HOLDERS_REFUSALS = new Set(["turn_mismatch", "stale_lease", "takeover_ineligible", "takeover_not_available"]);

function isRefusalTrue(position: number, operation: Operation, answer: AnswerOf<"refused">, known: Knowledge): boolean {
  const { agent, request } = operation;
  const { code, facts } = answer;
  const room = known.timeline.at(position);
  if (HOLDERS_REFUSALS.has(code) && !factsAreTrue(room, operation, answer, known)) return false;
  const sameTurn = "turnId" in request && request.turnId === room.turnId;
  const holder = holds(room, operation, tokenOf(operation), known);
  const to = request.kind === "pass" ? request.to : "";
  switch (code) {
    case "turn_mismatch":
      return !sameTurn;
    case "stale_lease":
      return sameTurn && !holder;
    case "takeover_ineligible":
      return sameTurn && room.owner === agent;
    case "takeover_not_available":
      return (
        sameTurn &&
        room.owner !== agent &&
        facts["room_state"] === (room.owner === null ? facts["room_state"] : "owned")
      );
    case "unknown_recipient":
      return holder && !known.timeline.isMember(to, position);
    case "recipient_unreachable":
      return holder && known.timeline.isMember(to, position);
    case "self_send":
      return holder && to === agent;
    case "unknown_member":
      return !known.timeline.isMember(agent, position);
    case "invalid_turn_id":
      return request.kind === "note" && (request.turnId ?? 0) > room.turnId && facts["current_turn_id"] === room.turnId;
    case "invalid_cursor":
      return request.kind === "events" && (request.after ?? 0) > position && facts["cursor_event_seq"] === position;
    default:
      return false;
  }
}

function factsAreTrue(room: Picture, operation: Operation, { facts }: AnswerOf<"refused">, known: Knowledge): boolean {
  return (
    facts["current_owner"] === room.owner &&
    facts["current_turn_id"] === room.turnId &&
    showsState(String(facts["room_state"]), room, operation, known)
  );
}
