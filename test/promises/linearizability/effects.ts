/** What an operation that changed the room was told, against what the log says it did. */
import type { EventView } from "../../../src/room/rules/event-view.ts";
import { payloadOf } from "./model.ts";
import type { Operation } from "./operation.ts";
import { type Knowledge, sameHandoff } from "./sights.ts";

/** What is wrong with the answer to the operation whose event this is, or null. */
export function effectProblem(operation: Operation, seq: number, known: Knowledge): string | null {
  const event = known.timeline.event(seq);
  if (!event) return "there is no such event";
  return event.fromAgentId === operation.agent
    ? answerProblem(operation, event, seq, known)
    : `event ${seq} was done by ${event.fromAgentId}`;
}

function answerProblem(operation: Operation, event: EventView, seq: number, known: Knowledge): string | null {
  const { request, answer } = operation;
  const room = known.timeline.at(seq);
  if (answer?.is === "your_turn") {
    if (answer.reason !== payloadOf(event).reason) return `the reason was ${payloadOf(event).reason}`;
    return sameHandoff(room, answer) ? null : `the handoff of turn ${room.turnId} is ${room.handoff}`;
  }
  if (answer?.is === "taken") return takeoverProblem(operation, event, seq, known);
  if (answer?.is === "released" || answer?.is === "passed") {
    if (answer.seq !== seq) return `the event is ${seq}`;
    if (answer.reservedFor !== room.reservedFor) return `the room is reserved for ${room.reservedFor}`;
    if (request.kind === "pass" && request.to !== room.reservedFor) return `it was passed to ${room.reservedFor}`;
    return tokenProblem(operation, event, known);
  }
  if (answer?.is === "left") {
    return answer.remaining === room.memberCount ? null : `${room.memberCount} members remained`;
  }
  const { turnId = null } = payloadOf(event);
  return answer?.is !== "noted" || answer.turnId === turnId ? null : `the note is about turn ${turnId}`;
}

function takeoverProblem(operation: Operation, event: EventView, seq: number, known: Knowledge): string | null {
  const { request, answer } = operation;
  if (answer?.is !== "taken" || request.kind !== "takeover") return "the answer is none to a takeover";
  const { ground, revokedAgentId } = payloadOf(event);
  if (answer.turnId !== event.turnId || request.turnId !== event.turnId - 1) return `turn ${event.turnId} was granted`;
  if (answer.ground !== ground || answer.revoked !== revokedAgentId)
    return `${revokedAgentId} was revoked as ${ground}`;
  if (answer.tag !== event.reason) return `the reason is ${event.reason}`;
  const room = known.timeline.at(seq);
  return sameHandoff(room, answer) ? null : `the handoff of turn ${room.turnId} is ${room.handoff}`;
}

/** Only the one who holds this very turn, with its lease, may hand it over. */
function tokenProblem({ request }: Operation, event: EventView, { leases }: Knowledge): string | null {
  if (!("leaseId" in request)) return "the request has no token";
  if (request.turnId !== event.turnId) return `turn ${event.turnId} was handed over`;
  return leases.fits(request.turnId, request.leaseId) ? null : `the lease is not that of turn ${event.turnId}`;
}
