import type { AgentId } from "../../core/ids.ts";
import type { Next } from "../../core/next.ts";
import { isRefusal, type Refusal, refuse } from "../../core/refusal.ts";
import { after, type Deadline } from "../../core/time.ts";
import { begin, type Change, type Decision, record, withRoom } from "../../room/rules/change.ts";
import { alivenessIn } from "../../room/rules/liveness.ts";
import { findRecipient } from "../../room/rules/recipient.ts";
import { notAuthorized, roomPaused } from "../../room/rules/refusals.ts";
import type { Room } from "../../room/rules/room.ts";
import { settle } from "../../room/rules/settle.ts";
import type { Given } from "../../session/rules/decision-input.ts";
import { type HandOverRefusal, handOver, type ReleaseStick } from "./release.ts";

export interface PassStick extends ReleaseStick {
  /** An agent id, a handle, or a harness of which one member is active. */
  readonly to: string;
  /** A person wants to pass to a member that is active, but not reachable now. */
  readonly operatorRequested: boolean;
}

/** Whether the recipient of the stick must be woken to notice it. */
export function mustBeWoken(room: Room, given: Given, recipient: AgentId): boolean {
  const { isListening, isReachable } = alivenessIn(room, recipient, given);
  return !isListening && isReachable;
}

export interface Passed {
  readonly status: "passed";
  readonly reservedFor: AgentId;
  readonly eventSeq: number;
}

type RecipientRefusal =
  | "unknown_recipient"
  | "ambiguous_recipient"
  | "recipient_unreachable"
  | "self_send"
  | "not_authorized";

export type PassAnswer = Passed | Refusal<HandOverRefusal | RecipientRefusal | "room_paused">;

/** The holder hands the stick to one named member, who must be there to take it. */
export function passStick(room: Room, given: Given, command: PassStick): Decision<PassAnswer> {
  const { change, handoff } = handOver(settle(begin(room), given), given, command);
  if (isRefusal(handoff)) return { change, answer: handoff };
  if (change.room.state.paused) return { change, answer: roomPaused(change.room, whilePaused(given)) };
  const recipient = reachableRecipient(change, given, command);
  if (isRefusal(recipient)) return { change, answer: recipient };
  const recorded = record(
    change,
    given,
    "pass",
    { operatorRequested: command.operatorRequested },
    { from: given.caller.agentId, to: recipient, handoff },
  );
  const passed = reservedByName(recorded, given);
  return {
    change: passed,
    answer: { status: "passed", reservedFor: recipient, eventSeq: passed.room.state.lastSeq },
  };
}

/** The turn is over, and the member to which the stick is passed or given has the whole time to take it. */
export function reservedByName(change: Change, given: Given): Change {
  return withRoom(change, { lease: null, claimDeadline: recipientDeadline(change.room, given), cooldown: null });
}

/** By when a member must take a stick that is passed or given to it now. */
export function recipientDeadline({ policy }: Room, { moment }: Given): Deadline {
  return after(moment.instant, policy.claimTtlMs);
}

function whilePaused({ caller }: Given): Next {
  if (caller.isPerson) return ["Give it to the agent instead: ", { do: "give_stick" }];
  return ["Release it: the next in the queue gets it when a person resumes the room: ", { do: "release_stick" }];
}

function reachableRecipient(settled: Change, given: Given, command: PassStick): AgentId | Refusal<RecipientRefusal> {
  const { room } = settled;
  const agentId = findRecipient([room], given, command.to);
  if (isRefusal(agentId)) return agentId;
  if (agentId === given.caller.agentId) {
    return refuse("self_send", "You hold the stick already.", "Pass it to another member, or release it.");
  }
  if (command.operatorRequested && !given.caller.isPerson) {
    return notAuthorized("pass to a member that is not reachable", "release the stick");
  }
  const { isActive, isReachable } = alivenessIn(room, agentId, given);
  if (!isActive) {
    return notHere(agentId, [
      "Pass it to an active member, or release it to the next waiting one: ",
      { do: "release_stick" },
    ]);
  }
  if (command.operatorRequested || isReachable) return agentId;
  return refuse(
    "recipient_unreachable",
    `${agentId} is a member but neither waits nor receives, and nothing could wake it, so it would not notice the stick.`,
    ["Ask that agent to wait first, or release the stick to the next waiting member: ", { do: "release_stick" }],
    { to_agent_id: agentId, active: true },
  );
}

/** The reservation would only expire. Not even a person may override this. */
export function notHere(agentId: AgentId, next: Next): Refusal<"recipient_unreachable"> {
  return refuse(
    "recipient_unreachable",
    `${agentId} is a member but not there any more: it has ended, or has been silent for too long.`,
    next,
    { to_agent_id: agentId, active: false },
  );
}
