import { type HandoffEvidence, handoffField } from "../core/handoff.ts";
import type { RoomId } from "../core/ids.ts";
import { isRefusal, type Refusal } from "../core/refusal.ts";
import { changeRoom, lastKnown } from "../engine/commit.ts";
import type { Deps } from "../engine/deps.ts";
import { ownNames } from "../engine/evidence.ts";
import { operation } from "../engine/operation.ts";
import type { Room } from "../room/rules/room.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { recordEnd } from "./record-turn.ts";
import { afterHandOver } from "./rules/after-answer.ts";
import type { HolderToken } from "./rules/holder.ts";
import { giveUpTurn as decideGiveUp, releaseStick as decideRelease, type GivenUp } from "./rules/release.ts";
import { withTurnEnd } from "./turn-ends.ts";

export const releaseStick = operation({
  name: "release_stick",
  summary:
    "Ends your turn with a handoff for the next holder: status is what is true now, next_action what comes next.",
  needs: { store: "change", caller: "known", room: "existing", token: true },
  input: { handoff: handoffField },
  refusals: ["room_closed", "turn_mismatch", "stale_lease", "invalid_handoff", "handoff_too_large"],
  mcp: "core",
  async run({ deps, caller, roomId, token }, { handoff }, call) {
    const evidence = await handoffEvidence(deps, caller, roomId);
    const command = { ...token, handoff, evidence };
    const answer = await changeRoom(
      deps,
      caller,
      { roomId },
      ({ room }, given) => decideRelease(room, given, command),
      {
        handsOver: true,
      },
    );
    if (!isRefusal(answer)) call.turns?.over(caller, roomId);
    return withTurnEnd(deps, caller, { roomId, ...token }, answer);
  },
  next: () => afterHandOver,
});

/**
 * What we can see of the working tree ourselves, gathered only for the holder. The tree is kept in the turn record at the
 * same time.
 */
export async function handoffEvidence(deps: Deps, caller: Caller, roomId: RoomId): Promise<HandoffEvidence | null> {
  const isMine = (room: Room | undefined) => ownNames(caller).some((name) => name === room?.state.owner);
  // A caller that claimed in this process mostly holds the stick still; if not, the evidence is not used.
  const known = lastKnown(deps, roomId)?.room;
  const room = isMine(known) ? known : (await deps.store.readRoom(roomId))?.room;
  if (!room || !isMine(room)) return null;
  const [evidence, end] = await Promise.all([
    deps.workingTree.evidence(room.path, room.state.turnHead),
    recordEnd(deps, room),
  ]);
  return evidence && { ...evidence, ...end };
}

/** For a program that ends its turn without a handoff, on purpose or by an exception. It stays a member. */
export function giveUpTurn(deps: Deps, caller: Caller, roomId: RoomId, token: HolderToken): Promise<GivenUp | Refusal> {
  return changeRoom(deps, caller, { roomId }, ({ room }, given) => decideGiveUp(room, given, token), {
    handsOver: true,
  });
}
