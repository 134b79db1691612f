/** The policy of a room for people: each value, and what it means. */
import { toSnakeCase } from "../../../core/letter-case.ts";
import { POLICY_KEYS, type Policy, type PolicyKey } from "../../../core/policy.ts";
import { durationText } from "../duration.ts";
import { field } from "./wrap.ts";

const MEANINGS: Readonly<Record<PolicyKey, string>> = {
  leaseTtlMs: "how long a holder keeps its turn without activity",
  claimTtlMs: "how long a stick that was passed stays reserved",
  releaseClaimTtlMs: "how long a released stick stays reserved for the next in the queue",
  waitGraceMs: "how long a place in the queue is kept after its wait",
  goneGraceMs: "how long after its last activity a dead member counts as gone",
  ownerIdleMs: "how long after its last activity a session still counts as active",
  presenceTtlMs: "how long a silent member counts as present",
  priorOwnerCooldownMs: "how long the last holder must wait while others want the stick",
  idleRoomTtlMs: "how long an unused room is kept from tt prune",
  waitMaxMs: "how long a wait without a limit of its own lasts",
  messageMaxBytes: "the largest message",
  noteMaxBytes: "the largest note",
  handoffMaxBytes: "the largest handoff",
  maxRetries: "how often a message is delivered again before it becomes a dead letter",
  baseBackoffMs: "the pause before the second delivery; it doubles with each one",
  inflightTimeoutMs: "how long a delivery waits for its acknowledgement",
  messageTtlMs: "how long an unread message is kept",
  askTimeoutMs: "how long an ask without a limit of its own waits for its reply",
  hookMaxChars: "how many characters a hook shows at once",
  sendRatePerMin: "how many messages an agent may send in a minute; 0 is no limit",
  hopsMax: "how often a message may be passed on",
};

export function policyText(policy: Policy, width: number): string {
  return POLICY_KEYS.map((key) => {
    const value = key.endsWith("Ms") ? durationText(policy[key]) : String(policy[key]);
    return field(`${toSnakeCase(key).padEnd(23)} ${value.padEnd(6)}`, MEANINGS[key], width, "");
  }).join("\n");
}
