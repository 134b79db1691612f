import type { HandoffEvidence } from "../core/handoff.ts";
import { asRoomId, type RoomId } from "../core/ids.ts";
import { isRefusal, type Refusal } from "../core/refusal.ts";
import { changeRoom, lastKnown } from "../engine/commit.ts";
import { decodeId, decodeToken, type TokenInput } from "../engine/decode.ts";
import type { Deps } from "../engine/deps.ts";
import { ownNames } from "../engine/evidence.ts";
import type { Room } from "../room/rules/room.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import type { HolderToken } from "./rules/holder.ts";
import {
  giveUpTurn as decideGiveUp,
  releaseStick as decideRelease,
  type GivenUp,
  type Released,
} from "./rules/release.ts";
import { withTurnEnd } from "./turn-ends.ts";

export interface ReleaseStickInput extends TokenInput {
  readonly roomId: string;
  /** `{status, nextAction, artifacts?, openQuestions?, doNot?}`; checked field by field. */
  readonly handoff: unknown;
}

export async function releaseStick(deps: Deps, caller: Caller, input: ReleaseStickInput): Promise<Released | Refusal> {
  const token = decodeToken(input);
  if (isRefusal(token)) return token;
  const roomId = decodeId("room_id", input.roomId);
  if (isRefusal(roomId)) return roomId;
  const evidence = await handoffEvidence(deps, caller, roomId);
  const command = { ...token, handoff: input.handoff, evidence };
  const answer = await changeRoom(deps, caller, input, ({ room }, given) => decideRelease(room, given, command), {
    handsOver: true,
  });
  return withTurnEnd(deps, caller, { roomId, ...token }, answer);
}

/** What we can see of the tree ourselves, gathered only for the one who holds the stick. */
export async function handoffEvidence(deps: Deps, caller: Caller, roomId: string): Promise<HandoffEvidence | null> {
  const isMine = (room: Room | undefined) => ownNames(caller).some((name) => name === room?.state.owner);
  // Whoever has claimed in this process mostly holds the stick still; if not, what is gathered here is for nobody.
  const known = lastKnown(deps, asRoomId(roomId))?.room;
  const room = isMine(known) ? known : (await deps.store.readRoom(asRoomId(roomId)))?.room;
  return room && isMine(room) ? deps.workingTree.evidence(room.path, room.state.turnHead) : null;
}

/** For a program that ends its turn without a word, on purpose or by an exception. It stays a member. */
export function giveUpTurn(deps: Deps, caller: Caller, roomId: RoomId, token: HolderToken): Promise<GivenUp | Refusal> {
  return changeRoom(deps, caller, { roomId }, ({ room }, given) => decideGiveUp(room, given, token), {
    handsOver: true,
  });
}
