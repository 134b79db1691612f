import type { Caller } from "../domain/given.ts";
import { asAgentId, asRoomId } from "../domain/ids.ts";
import { isRefusal, type Refusal } from "../domain/refusal.ts";
import { presentName } from "../domain/session/alias.ts";
import { passStick as decidePass, type Passed } from "../domain/stick/pass.ts";
import { changeRoom, type Decide } from "./change-room.ts";
import { decodeFlag, decodeId, decodeToken } from "./decode.ts";
import type { Deps } from "./deps.ts";
import { busyAmong, hookedSessions, raiseFlags } from "./hooks/hooked-sessions.ts";
import { handoffEvidence, type ReleaseStickInput } from "./release-stick.ts";

export interface PassStickInput extends ReleaseStickInput {
  /** An agent id, a handle, or a harness of which one member is active. */
  readonly toAgentId: string;
  readonly operatorRequested?: boolean;
}

export async function passStick(deps: Deps, caller: Caller, input: PassStickInput): Promise<Passed | Refusal> {
  const token = decodeToken(input);
  if (isRefusal(token)) return token;
  const roomId = decodeId("room_id", input.roomId);
  if (isRefusal(roomId)) return roomId;
  const to = decodeId("to_agent_id", input.toAgentId);
  if (isRefusal(to)) return to;
  const operatorRequested = decodeFlag("operator_requested", input.operatorRequested);
  if (isRefusal(operatorRequested)) return operatorRequested;
  const evidence = await handoffEvidence(deps, caller, roomId);
  const command = {
    ...token,
    handoff: input.handoff,
    evidence,
    operatorRequested,
  };
  const hooked = await hookedIn(deps, roomId);
  const hookedAndBusy = busyAmong(deps, hooked, "room");
  const decide: Decide<Passed> = ({ room, aliases }, given) => {
    const knowing = { ...given, evidence: { ...given.evidence, hookedAndBusy } };
    return decidePass(room, knowing, { ...command, to: presentName(room, aliases, to) });
  };
  const passed = await changeRoom(deps, caller, input, decide, { about: [asAgentId(to)] });
  if (!isRefusal(passed)) raiseFlags(deps, hooked, [passed.reservedFor]);
  return passed;
}

/** Whoever is at work with hooks can be reached, and is told by them that it was given the stick. */
async function hookedIn(deps: Deps, roomId: string) {
  const snapshot = await deps.store.readRoom(asRoomId(roomId));
  return snapshot ? hookedSessions(deps, snapshot.room.project) : [];
}
