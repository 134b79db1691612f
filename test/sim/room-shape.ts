/** What must be true of a room at rest, whatever led to it. */

import { type AgentId, asAgentId, asLeaseId } from "../../src/core/ids.ts";
import { type ProcessVerdict, processKey } from "../../src/core/process.ts";
import type { Instant } from "../../src/core/time.ts";
import { begin } from "../../src/room/rules/change.ts";
import { stateOf } from "../../src/room/rules/derived-state.ts";
import { alivenessIn } from "../../src/room/rules/liveness.ts";
import type { Room } from "../../src/room/rules/room.ts";
import { needsSettling, settle } from "../../src/room/rules/settle.ts";
import type { Given } from "../../src/session/rules/decision-input.ts";
import { HOST_NAMESPACE, type Machine } from "./machine.ts";

export type Complain = (condition: unknown, complaint: string) => asserts condition;

export function checkShape(room: Room, demand: Complain): void {
  const { state, lease, claimDeadline, presence, waits } = room;
  const { status, owner, reservation, members } = state;
  demand((status === "owned") === (owner !== null), `status ${status} with owner ${owner}`);
  demand((status === "owned") === (lease !== null), `status ${status} ${lease ? "with" : "without"} a lease`);
  demand((status === "reserved") === (reservation !== null), `status ${status}, reserved for ${reservation?.agentId}`);
  demand(
    (status === "reserved") === (claimDeadline !== null),
    `status ${status}, to be claimed by ${claimDeadline?.ms}`,
  );
  demand(owner === null || members.has(owner), `the owner ${owner} is not a member`);
  demand(!reservation || members.has(reservation.agentId), `reserved for ${reservation?.agentId}, not a member`);
  for (const agentId of members.keys()) demand(presence.has(agentId), `the member ${agentId} has no presence`);
  for (const agentId of presence.keys()) demand(members.has(agentId), `presence of ${agentId}, not a member`);
  for (const agentId of waits.keys()) demand(members.has(agentId), `wait of ${agentId}, not a member`);
  demand(owner === null || !waits.has(owner), `the owner ${owner} stands in the queue`);
  demand(status !== "closed" || waits.size === 0, "an agent waits in a closed room");
  const handles = [...presence.values()].map((one) => one.handle);
  demand(new Set(handles).size === handles.length, `one handle for two members: ${handles.join(", ")}`);
}

/** Once time has been accounted for, a free stick and an agent that waits for it cannot both be there. */
export function checkSettled(room: Room, machine: Machine, moment: Given["moment"], demand: Complain): void {
  const given = allSeeing(room, machine, moment);
  const settled = settle(begin(room), given).room;
  checkShape(settled, demand);
  demand(!needsSettling(settled, given), "settling once is not enough");
  checkOwnersState(settled, given, demand);
  if (settled.state.status !== "idle" || settled.state.paused) return;
  for (const agentId of settled.waits.keys()) {
    demand(!alivenessIn(settled, agentId, given).isWaiting, `the stick is free while ${agentId} waits for it`);
  }
}

/** What the room is said to be while an agent holds, in other words than the rule's own. */
function checkOwnersState(room: Room, given: Given, demand: Complain): void {
  const { owner } = room.state;
  if (owner === null) return;
  const { epoch, ms } = given.moment.instant;
  const { lastSeen, process } = room.presence.get(owner)!;
  const sinceMs = (sign: Instant | null | undefined) =>
    sign?.epoch === epoch ? ms - sign.ms : Number.POSITIVE_INFINITY;
  const sinceSignMs = sinceMs(given.evidence.activity.get(owner));
  const silentMs = Math.min(sinceSignMs, sinceMs(lastSeen));
  const isDead = process !== null && given.evidence.verdicts.get(processKey(process)) === "gone";
  const { deadline } = room.lease!;
  const runs = deadline.epoch === epoch && (ms < deadline.ms || sinceSignMs < room.policy.leaseTtlMs);
  const expected = isDead && silentMs >= room.policy.goneGraceMs ? "owner_gone" : runs ? "owned" : "stale_owner";
  demand(stateOf(room, given) === expected, `${stateOf(room, given)} instead of ${expected}`);
}

/** The evidence of an observer outside of containers who looked at everybody just now. */
function allSeeing(room: Room, machine: Machine, moment: Given["moment"]): Given {
  const verdicts = new Map<string, ProcessVerdict>();
  const processes = [...room.presence.values()].map((one) => one.process);
  for (const process of [...processes, ...[...room.waits.values()].map((wait) => wait.caller)]) {
    if (!process || process.pidNamespace !== HOST_NAMESPACE) continue;
    verdicts.set(processKey(process), machine.isRunning(process) ? "alive" : "gone");
  }
  const activity = new Map<AgentId, Instant>();
  for (const { agentId, sessionId } of room.presence.values()) {
    const sign = sessionId === null ? null : machine.activity.lastSign(sessionId);
    if (sign) activity.set(agentId, sign);
  }
  return {
    moment,
    evidence: { verdicts, activity },
    caller: {
      agentId: asAgentId("nobody"),
      harness: "none",
      isPerson: false,
      process: null,
      sessionId: null,
      formerId: null,
      tmuxPane: null,
    },
    commandId: "look",
    freshLeaseId: asLeaseId("look"),
  };
}
