import { changeRoom } from "../engine/commit.ts";
import { operation } from "../engine/operation.ts";
import { heartbeat as decideHeartbeat } from "./rules/heartbeat.ts";
import { withTurnEnd } from "./turn-ends.ts";

export const heartbeat = operation({
  name: "heartbeat",
  summary: "Renews the lease of the turn you hold. Other calls renew it, too.",
  needs: { store: "change", caller: "known", room: "existing", token: true },
  input: {},
  refusals: ["room_closed", "turn_mismatch", "stale_lease"],
  mcp: "gateway",
  async run({ deps, caller, roomId, token }) {
    const answer = await changeRoom(
      deps,
      caller,
      { roomId },
      ({ room }, given) => decideHeartbeat(room, given, token),
      {
        expectsEvents: false,
      },
    );
    return withTurnEnd(deps, caller, { roomId, ...token }, answer);
  },
});
