import type { Caller } from "../domain/given.ts";
import { invalidInput, type Refusal } from "../domain/refusal.ts";
import { changePolicy as decidePolicy, type PolicyAnswer } from "../domain/room/change-policy.ts";
import { isPolicyKey, type Policy } from "../domain/room/policy.ts";
import { changeRoom } from "./change-room.ts";
import type { Deps } from "./deps.ts";

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
