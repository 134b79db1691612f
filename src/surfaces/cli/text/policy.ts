/** The policy of a room for people: each value, and what it means. */
import { toSnakeCase } from "../../../core/letter-case.ts";
import { POLICY_KEYS, type Policy, type PolicyKey, type PolicyValue, SIZES } from "../../../core/policy.ts";
import { durationText } from "../../words/duration-text.ts";
import { field } from "../../words/wrap.ts";

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
  guard: "what happens to writes without the stick: off, advise, deny or strict; see tt guard",
  record: "whether each turn's files are kept: auto, on or off; auto is with a second member",
  snapshotMaxMs: "how long keeping the files of a turn may take",
  recordMaxBytes: "how much the files of all turns may take on the disk, in bytes",
  recordKeepDays: "for how many days the files of a turn are kept",
};

export function policyText(policy: Policy, width: number): string {
  return POLICY_KEYS.map((key) => {
    return field(`${toSnakeCase(key).padEnd(23)} ${valueText(key, policy[key]).padEnd(6)}`, MEANINGS[key], width, "");
  }).join("\n");
}

/** As it may be typed. */
function valueText(key: PolicyKey, value: PolicyValue): string {
  if (typeof value !== "number") return value;
  if (key.endsWith("Ms")) return durationText(value);
  const size = Object.entries(SIZES).findLast(([, bytes]) => value > 0 && value % bytes === 0);
  return key.endsWith("Bytes") && size ? `${value / size[1]}${size[0]}` : String(value);
}
