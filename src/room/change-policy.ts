import { isPolicyKey, type Policy } from "../core/policy.ts";
import { invalidInput, type Refusal } from "../core/refusal.ts";
import { changeRoom } from "../engine/commit.ts";
import type { Deps } from "../engine/deps.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { changePolicy as decidePolicy, type PolicyAnswer } from "./rules/change-policy.ts";

export interface ChangePolicyInput {
  readonly roomId: string;
  readonly changes: Partial<Policy>;
}

export async function changePolicy(
  deps: Deps,
  caller: Caller,
  input: ChangePolicyInput,
): Promise<PolicyAnswer | Refusal> {
  if (typeof input.changes !== "object" || input.changes === null) {
    return invalidInput("changes", "changes is not an object.", "Give the values to change by their names.");
  }
  const unknown = Object.keys(input.changes).find((key) => !isPolicyKey(key));
  if (unknown !== undefined) {
    return invalidInput(unknown, `There is no policy value ${unknown}.`, "Look at the room's policy for the names.");
  }
  return changeRoom(deps, caller, input, ({ room, handles }, given) =>
    decidePolicy(room, given, handles, input.changes),
  );
}
