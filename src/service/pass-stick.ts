import type { Caller } from "../domain/given.ts";
import { asAgentId } from "../domain/ids.ts";
import { isRefusal, type Refusal } from "../domain/refusal.ts";
import { presentName } from "../domain/session/alias.ts";
import { passStick as decidePass, type Passed } from "../domain/stick/pass.ts";
import { changeRoom, type Decide } from "./change-room.ts";
import { decodeFlag, decodeId, decodeToken } from "./decode.ts";
import type { Deps } from "./deps.ts";
import { handoffEvidence, type ReleaseStickInput } from "./release-stick.ts";

export interface PassStickInput extends ReleaseStickInput {
  /** An agent id, a handle, or a harness of which one member is active. */
  readonly toAgentId: string;
  readonly operatorRequested?: boolean;
}

export async function passStick(deps: Deps, caller: Caller, input: PassStickInput): Promise<Passed | Refusal> {
  const token = decodeToken(input);
  if (isRefusal(token)) return token;
  const to = decodeId("to_agent_id", input.toAgentId);
  if (isRefusal(to)) return to;
  const operatorRequested = decodeFlag("operator_requested", input.operatorRequested);
  if (isRefusal(operatorRequested)) return operatorRequested;
  const evidence = await handoffEvidence(deps, caller, input.roomId);
  const command = {
    ...token,
    handoff: input.handoff,
    evidence,
    operatorRequested,
  };
  const decide: Decide<Passed> = ({ room, aliases }, given) =>
    decidePass(room, given, { ...command, to: presentName(room, aliases, to) });
  return changeRoom(deps, caller, input, decide, { about: [asAgentId(to)] });
}
