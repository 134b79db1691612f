import { type CheckedOut, decodeHandoff, type Handoff } from "../../core/handoff.ts";
import type { AgentId } from "../../core/ids.ts";
import { isRefusal, type Refusal } from "../../core/refusal.ts";
import { after } from "../../core/time.ts";
import { begin, type Change, type Decision, record, withRoom } from "../../room/rules/change.ts";
import { holderShowsUp } from "../../room/rules/membership.ts";
import { nextInQueue, waitingInOrder } from "../../room/rules/queue.ts";
import type { Room } from "../../room/rules/room.ts";
import { claimDeadlineFor, settle } from "../../room/rules/settle.ts";
import type { Given } from "../../session/rules/decision-input.ts";
import { pendingEvidence } from "./handoff-evidence.ts";
import { type HolderRefusal, type HolderToken, holderRefusal } from "./holder.ts";

export interface ReleaseStick extends HolderToken {
  /** As the caller gave it; decoded here, because the room's policy caps it. */
  readonly handoff: unknown;
  /** Null where there is no repository. */
  readonly checkedOut: CheckedOut | null;
}

export interface Released {
  readonly status: "released";
  readonly reservedFor: AgentId | null;
  readonly eventSeq: number;
  readonly waitingCount: number;
  /** The room is paused: the stick goes on when it is resumed. */
  readonly paused?: true;
}

export type HandOverRefusal = HolderRefusal | "invalid_handoff" | "handoff_too_large";
export type ReleaseAnswer = Released | Refusal<HandOverRefusal>;

/** The holder gives the stick up; it is reserved for the next in the queue, or free. */
export function releaseStick(room: Room, given: Given, command: ReleaseStick): Decision<ReleaseAnswer> {
  const settled = settle(begin(room), given);
  const { change, handoff } = handOver(settled, given, command);
  if (isRefusal(handoff)) return { change, answer: handoff };
  const { agentId } = given.caller;
  const reservedFor = nextInQueue(change.room, given, agentId);
  const recorded = record(change, given, "release", { reservedFor }, { from: agentId, to: reservedFor, handoff });
  const released = releaseLease(recorded, given, reservedFor);
  return {
    change: released,
    answer: {
      status: "released",
      reservedFor,
      eventSeq: released.room.state.lastSeq,
      waitingCount: waitingInOrder(released.room, given).length,
      ...(released.room.state.paused && { paused: true }),
    },
  };
}

export interface GivenUp {
  readonly status: "given_up";
  readonly reservedFor: AgentId | null;
}

/** The holder ends its turn without a handoff. As when a holder leaves, the previous handoff stays attached. */
export function giveUpTurn(room: Room, given: Given, token: HolderToken): Decision<GivenUp | Refusal> {
  const settled = settle(begin(room), given);
  const refusal = holderRefusal(settled.room, given, token);
  if (refusal) return { change: settled, answer: refusal };
  const change = holderShowsUp(settled, given);
  const { agentId } = given.caller;
  const reservedFor = nextInQueue(change.room, given, agentId);
  const recorded = record(change, given, "release", { reservedFor, givenUp: true }, { from: agentId, to: reservedFor });
  return { change: releaseLease(recorded, given, reservedFor), answer: { status: "given_up", reservedFor } };
}

/**
 * What release and pass have in common: they check the holder, update its presence, and decode the handoff. A proven
 * holder renews its lease even by a call that is then refused.
 */
export function handOver(
  settled: Change,
  given: Given,
  command: ReleaseStick,
): { readonly change: Change; readonly handoff: Handoff | Refusal<HandOverRefusal> } {
  const refusal = holderRefusal(settled.room, given, command);
  if (refusal) return { change: settled, handoff: refusal };
  const change = holderShowsUp(settled, given);
  const handoff = decodeHandoff(command.handoff, settled.room.policy.handoffMaxBytes);
  if (isRefusal(handoff)) return { change, handoff };
  const { checkedOut } = command;
  const evidence = checkedOut && pendingEvidence(checkedOut, settled.room, given);
  const { checks } = settled.room.state;
  return { change, handoff: { ...handoff, ...(evidence && { evidence }), ...(checks.length > 0 && { checks }) } };
}

function releaseLease(change: Change, given: Given, reservedFor: AgentId | null): Change {
  const { policy } = change.room;
  return withRoom(change, {
    lease: null,
    claimDeadline: claimDeadlineFor(change.room, given, reservedFor),
    cooldown: { agentId: given.caller.agentId, until: after(given.moment.instant, policy.priorOwnerCooldownMs) },
  });
}
