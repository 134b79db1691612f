import type { Caller } from "../domain/given.ts";
import { invalidInput, type Refusal } from "../domain/refusal.ts";
import { nameMyself as decideName, type Named } from "../domain/room/name-myself.ts";
import { changeRoom } from "./change-room.ts";
import type { Deps } from "./deps.ts";

export interface NameMyselfInput {
  readonly roomId: string;
  readonly handle: string;
}

export async function nameMyself(deps: Deps, caller: Caller, input: NameMyselfInput): Promise<Named | Refusal> {
  const { handle } = input;
  if (typeof handle !== "string") return invalidInput("handle", "handle is not text.", "Give the handle as text.");
  return changeRoom(deps, caller, input, ({ room, handles }, given) => decideName(room, given, handles, { handle }));
}
