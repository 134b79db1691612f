import { toSnakeCase } from "../../core/letter-case.ts";
import {
  type Policy,
  type PolicyKey,
  type PolicyValue,
  policyValueAdvice,
  policyValueProblem,
} from "../../core/policy.ts";
import { invalidInput, type Refusal } from "../../core/refusal.ts";
import { after } from "../../core/time.ts";
import type { Given } from "../../session/rules/decision-input.ts";
import type { Wait } from "../../session/rules/session.ts";
import { type Decision, record, withRoom } from "./change.ts";
import { asMember } from "./join.ts";
import type { TakenHandles } from "./membership.ts";
import { notAuthorized } from "./refusals.ts";
import type { Room } from "./room.ts";

export interface PolicyAnswer {
  readonly policy: Policy;
}

/**
 * A person changes the values of the room's policy. An agent may not: a shorter lease would take the stick from its holder.
 * Values that stand already are not a change.
 */
export function changePolicy(
  room: Room,
  given: Given,
  handles: TakenHandles,
  changes: Partial<Policy>,
): Decision<PolicyAnswer | Refusal<"invalid_input" | "not_authorized" | "room_closed">> {
  return asMember(room, given, handles, (change) => {
    if (!given.caller.isPerson) return notAuthorized("change the policy of a room", "go on with the policy as it is");
    const entries = Object.entries(changes) as [PolicyKey, PolicyValue][];
    for (const [key, value] of entries) {
      const problem = policyValueProblem(key, value);
      const name = toSnakeCase(key);
      if (problem) return invalidInput(name, `The policy value ${name} ${problem}.`, `Give ${policyValueAdvice(key)}.`);
    }
    const real = entries.filter(([key, value]) => change.room.policy[key] !== value);
    if (real.length === 0) return { change, answer: { policy: change.room.policy } };
    const policy = { ...change.room.policy, ...Object.fromEntries(real) };
    const recorded = record(
      change,
      given,
      "policy_changed",
      { changes: Object.fromEntries(real) },
      { from: given.caller.agentId },
    );
    const waits = withGrace(change.room, policy.waitGraceMs);
    return { change: withRoom(recorded, { policy, waits }), answer: { policy } };
  });
}

/**
 * A call ends at its deadline less the grace, so the deadline moves with the grace. A grace that has begun, because its
 * call was cut off, keeps its length.
 */
function withGrace({ waits, policy }: Room, waitGraceMs: number): Room["waits"] {
  const byMs = waitGraceMs - policy.waitGraceMs;
  if (byMs === 0) return waits;
  const moved = (wait: Wait): Wait => (wait.caller === null ? wait : { ...wait, deadline: after(wait.deadline, byMs) });
  return new Map([...waits].map(([agentId, wait]) => [agentId, moved(wait)]));
}
