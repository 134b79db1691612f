import { invalidInput, type Refusal } from "../core/refusal.ts";
import { changeRoom } from "../engine/commit.ts";
import type { Deps } from "../engine/deps.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { nameMyself as decideName, type Named } from "./rules/name-myself.ts";

export interface NameMyselfInput {
  readonly roomId: string;
  readonly handle: string;
}

export async function nameMyself(deps: Deps, caller: Caller, input: NameMyselfInput): Promise<Named | Refusal> {
  const { handle } = input;
  if (typeof handle !== "string") return invalidInput("handle", "handle is not text.", "Give the handle as text.");
  return changeRoom(deps, caller, input, ({ room, handles }, given) => decideName(room, given, handles, { handle }));
}
