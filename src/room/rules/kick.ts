import type { AgentId } from "../../core/ids.ts";
import { type Refusal, refuse } from "../../core/refusal.ts";
import type { Given } from "../../session/rules/decision-input.ts";
import { begin, type Decision, record, withRoom } from "./change.ts";
import { alivenessIn } from "./liveness.ts";
import { clearDeparted, departureOf, isMember } from "./membership.ts";
import { mergeFormer } from "./merge-former.ts";
import { memberName } from "./recipient.ts";
import { notAuthorized, unknownMember } from "./refusals.ts";
import type { Room } from "./room.ts";
import { afterSleep, settle } from "./settle.ts";

export interface KickMember {
  readonly targetAgentId: AgentId;
  readonly force: boolean;
  readonly reason: string | null;
}

export interface Kicked {
  readonly status: "kicked";
  readonly canonicalPath: string;
  readonly kickedAgentId: AgentId;
  readonly remainingMembers: number;
  readonly targetWasOwner: boolean;
  readonly targetWasReservedFor: boolean;
}

type KickRefusal = "unknown_member" | "cannot_kick_self" | "unknown_target" | "target_active" | "not_authorized";

/** Removes a member that is persistently gone, or, by a person's force, one that is not. */
export function kickMember(room: Room, given: Given, command: KickMember): Decision<Kicked | Refusal<KickRefusal>> {
  const merged = mergeFormer(begin(room), given);
  // Judged before settling, so that settling does not remove the target under the caller's hands.
  const refusal = kickRefusal(merged.room, given, command);
  const settled = settle(merged, given);
  if (refusal) return { change: settled, answer: refusal };
  const { targetAgentId: target, reason } = command;
  // A member that is gone already needs no force.
  const force = command.force && !alivenessIn(merged.room, target, given).isGone;
  // If settling would remove the target, the kick removes it instead; waiters keep their grace after a sleep.
  const base = isMember(settled.room, target) ? settled : withRoom(merged, afterSleep(merged.room, given.moment));
  const departure = departureOf(base.room, given, target);
  const recorded = record(
    base,
    given,
    "kick",
    {
      force,
      targetWasOwner: departure.wasOwner,
      targetWasReservedFor: departure.wasReservedFor,
      reservedFor: departure.reservedFor,
    },
    { from: given.caller.agentId, to: target, reason },
  );
  const change = clearDeparted(recorded, given, target, departure);
  return {
    change,
    answer: {
      status: "kicked",
      canonicalPath: room.path,
      kickedAgentId: target,
      remainingMembers: change.room.state.members.size,
      targetWasOwner: departure.wasOwner,
      targetWasReservedFor: departure.wasReservedFor,
    },
  };
}

function kickRefusal(
  room: Room,
  given: Given,
  { targetAgentId: target, force }: KickMember,
): Refusal<KickRefusal> | null {
  if (!isMember(room, given.caller.agentId)) return unknownMember(room, given);
  if (target === given.caller.agentId) {
    return refuse("cannot_kick_self", "An agent cannot kick itself.", [
      "Leave the room instead: ",
      { do: "leave_room" },
    ]);
  }
  if (!isMember(room, target)) {
    const others = [...room.state.members.keys()].filter((id) => id !== given.caller.agentId);
    return refuse(
      "unknown_target",
      `${target} is not a member of the room at ${room.path}.`,
      others.length === 0 ? "Nobody else is here now." : "Name one of the candidates by its id or handle.",
      { target_agent_id: target, candidates: others.map((agentId) => memberName(room, agentId)) },
    );
  }
  if (alivenessIn(room, target, given).isGone) return null;
  if (!force) return targetActive(room, given, target);
  return given.caller.isPerson ? null : notAuthorized("remove a member that may still be active", "leave it alone");
}

function targetActive(room: Room, given: Given, target: AgentId): Refusal<"target_active"> {
  return refuse(
    "target_active",
    `${target} is still active, so it stays a member.`,
    ["Leave it alone, or ask the person you work for to remove it", { shell: " with --force.", server: "." }],
    { target_agent_id: target, silent_ms: alivenessIn(room, target, given).toldSilenceMs },
  );
}
