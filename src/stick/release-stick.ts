import { handoffField } from "../core/handoff.ts";
import type { RoomId } from "../core/ids.ts";
import { isRefusal, type Refusal } from "../core/refusal.ts";
import { changeRoom, type Decide } from "../engine/commit.ts";
import type { Deps } from "../engine/deps.ts";
import { operation } from "../engine/operation.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { afterHandingOver, checkedOutBy, type HandedOver, handedOver } from "./attach-evidence.ts";
import { afterHandOver } from "./rules/after-answer.ts";
import type { HolderToken } from "./rules/holder.ts";
import {
  giveUpTurn as decideGiveUp,
  releaseStick as decideRelease,
  type GivenUp,
  type ReleaseAnswer,
} from "./rules/release.ts";
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
    const command = { ...token, handoff, checkedOut: await checkedOutBy(deps, caller, roomId) };
    let ended: HandedOver | null = null;
    const decide: Decide<ReleaseAnswer> = ({ room }, given) => {
      const decision = decideRelease(room, given, command);
      ended = handedOver(deps, decision.change.room);
      return decision;
    };
    const answer = await changeRoom(deps, caller, { roomId }, decide, { handsOver: true });
    if (isRefusal(answer)) return withTurnEnd(deps, caller, { roomId, ...token }, answer);
    call.turns?.over(caller, roomId);
    await afterHandingOver(deps, ended, call);
    return answer;
  },
  next: () => afterHandOver,
});

/** For a program that ends its turn without a handoff, on purpose or by an exception. It stays a member. */
export function giveUpTurn(deps: Deps, caller: Caller, roomId: RoomId, token: HolderToken): Promise<GivenUp | Refusal> {
  return changeRoom(deps, caller, { roomId }, ({ room }, given) => decideGiveUp(room, given, token), {
    handsOver: true,
  });
}
