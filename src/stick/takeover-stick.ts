import { flag, integer, text, unlisted } from "../core/field.ts";
import { LIMITS } from "../core/limits.ts";
import { isRefusal } from "../core/refusal.ts";
import { beforeGrant } from "../engine/around-commit.ts";
import { changeRoom } from "../engine/commit.ts";
import { operation } from "../engine/operation.ts";
import { afterTakeover } from "./rules/after-answer.ts";
import { takeoverStick as decideTakeover } from "./rules/takeover.ts";

export const takeoverStick = operation({
  name: "takeover_stick",
  summary:
    "Takes the stick from a holder that is gone or whose lease has expired, after takeover_available. Needs a reason; the old handoff comes with it.",
  needs: { store: "change", caller: "known", room: "existing" },
  input: {
    expectedTurnId: integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
    reason: text(LIMITS.reasonCharacters),
    // Only a person may.
    operatorRequested: unlisted(flag()),
  },
  refusals: [
    "room_closed",
    "turn_mismatch",
    "takeover_ineligible",
    "takeover_not_available",
    "not_authorized",
    "room_paused",
  ],
  mcp: "gateway",
  async run({ deps, caller, roomId }, { operatorRequested = false, ...wanted }, call) {
    const snapshot = await deps.store.readRoom(roomId);
    const gitHead = snapshot && deps.workingTree.head(snapshot.room.path);
    const command = { ...wanted, operatorRequested, gitHead };
    if (snapshot) await beforeGrant(deps, caller, snapshot.room);
    const answer = await changeRoom(deps, caller, { roomId }, ({ room, handles }, given) =>
      decideTakeover(room, given, handles, command),
    );
    if (!isRefusal(answer)) await call.turns?.granted(caller, roomId, answer);
    return answer;
  },
  next: () => afterTakeover,
});
