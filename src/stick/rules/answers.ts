/** One constructor per answer about the turn, so that each is built in one place. Lease secrets go to the holder alone. */
import type { ClaimReason, TakeoverGround } from "../../core/event.ts";
import type { Handoff } from "../../core/handoff.ts";
import type { AgentId, LeaseId } from "../../core/ids.ts";
import { invariant } from "../../core/invariant.ts";
import { wallTimeOf } from "../../core/time.ts";
import { type DerivedState, stateOf } from "../../room/rules/derived-state.ts";
import { alivenessIn, leaseDeadline, reservationDeadline } from "../../room/rules/liveness.ts";
import { queuePosition } from "../../room/rules/queue.ts";
import { isHeldBack } from "../../room/rules/refusals.ts";
import type { Pause, Room } from "../../room/rules/room.ts";
import type { Given } from "../../session/rules/decision-input.ts";

export interface YourTurn {
  readonly status: "your_turn";
  readonly turnId: number;
  readonly leaseId: LeaseId;
  readonly leaseExpiresAt: string;
  readonly handoff: Handoff | null;
  readonly fromAgentId: AgentId | null;
  readonly reason: ClaimReason | "already_owner";
  /** A person has paused the room: the holder, unless it is a person, is asked to hand over. */
  readonly paused?: Pause;
  /** The person who gave the stick, and why, if the log still says so. */
  readonly given?: { readonly by: AgentId; readonly reason: string | null };
  /** Left out if they cannot be counted. */
  readonly openNotes?: number;
  /** What changed in the tree between the handoff and this grant. */
  readonly drift?: Drift;
  /** Artifacts of the handoff that are not there. */
  readonly missingArtifacts?: readonly string[];
}

export interface Drift {
  readonly paths: readonly string[];
  /** How many further ones there are. */
  readonly more: number;
}

export interface TakeoverAvailable {
  readonly status: "takeover_available";
  readonly turnId: number;
  readonly roomState: DerivedState;
  readonly reason: Exclude<TakeoverGround, "operator_requested">;
  /** If its machine is silent: for how long nothing was heard of it. */
  readonly hostSilentMs?: number;
  readonly currentOwner: AgentId;
}

export interface NotYet {
  readonly status: "not_yet";
  readonly roomState: DerivedState;
  readonly turnId: number;
  readonly currentOwner?: AgentId;
  readonly reservedFor?: AgentId;
  readonly queuePosition: number | null;
  readonly unread: number;
  readonly leaseExpiresAt?: string;
  readonly claimExpiresAt?: string;
  /** While the room is paused, no agent gets the stick; each keeps its place. */
  readonly paused?: Pause;
  /** What ended the wait. */
  readonly endedBy?: "one_look" | "mail" | "time_limit" | "cancelled";
}

export interface RoomIsClosed {
  readonly status: "closed";
  /** The person who closed it, and why, if the log still says so. */
  readonly closedBy?: AgentId;
  readonly reason?: string;
}

export type TurnAnswer = YourTurn | TakeoverAvailable | NotYet | RoomIsClosed;

export function yourTurn(room: Room, given: Given, reason: YourTurn["reason"]): YourTurn {
  invariant(room.lease, "a granted turn has a lease");
  const { handoff, turnId, paused } = room.state;
  return {
    status: "your_turn",
    turnId,
    leaseId: room.lease.leaseId,
    leaseExpiresAt: wallTimeOf(room.lease.deadline, given.moment),
    handoff: handoff?.handoff ?? null,
    fromAgentId: handoff?.fromAgentId ?? null,
    reason,
    ...(paused && isHeldBack(room, given.caller) && { paused }),
  };
}

export function takeoverAvailable(room: Room, given: Given, reason: TakeoverAvailable["reason"]): TakeoverAvailable {
  invariant(room.state.owner !== null, "a takeover needs an owner to take over from");
  const { hostSilentMs } = alivenessIn(room, room.state.owner, given);
  return {
    status: "takeover_available",
    turnId: room.state.turnId,
    roomState: stateOf(room, given),
    reason,
    ...(hostSilentMs !== null && { hostSilentMs: Math.floor(hostSilentMs) }),
    currentOwner: room.state.owner,
  };
}

export function notYet(room: Room, given: Given): NotYet {
  const { owner, reservation, turnId, paused } = room.state;
  const leaseEnd = leaseDeadline(room, given);
  const claimEnd = reservationDeadline(room);
  return {
    status: "not_yet",
    roomState: stateOf(room, given),
    turnId,
    ...(owner !== null && { currentOwner: owner }),
    ...(reservation && { reservedFor: reservation.agentId }),
    queuePosition: queuePosition(room, given, given.caller.agentId),
    unread: 0,
    ...(paused && { paused }),
    ...(leaseEnd && { leaseExpiresAt: wallTimeOf(leaseEnd, given.moment) }),
    ...(claimEnd && { claimExpiresAt: wallTimeOf(claimEnd, given.moment) }),
  };
}
