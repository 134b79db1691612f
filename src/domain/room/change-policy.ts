import type { Given } from "../given.ts";
import { toSnakeCase } from "../letter-case.ts";
import { invalidInput } from "../refusal.ts";
import { type Decision, record, withRoom } from "./change.ts";
import { asMember } from "./join.ts";
import type { TakenHandles } from "./membership.ts";
import { type Policy, type PolicyKey, policyValueProblem } from "./policy.ts";
import type { Room } from "./room.ts";

export interface PolicyAnswer {
  readonly policy: Policy;
}

/** Changes the numbers the room lives by. Values that stand already are not a change. */
export function changePolicy(
  room: Room,
  given: Given,
  handles: TakenHandles,
  changes: Partial<Policy>,
): Decision<PolicyAnswer> {
  return asMember(room, given, handles, (change) => {
    const entries = Object.entries(changes) as [PolicyKey, number][];
    for (const [key, value] of entries) {
      const problem = policyValueProblem(key, value);
      const name = toSnakeCase(key);
      if (problem) return invalidInput(name, `The policy value ${name} ${problem}.`, "Give a value within the bounds.");
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
    return { change: withRoom(recorded, { policy }), answer: { policy } };
  });
}
