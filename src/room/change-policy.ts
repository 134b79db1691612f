import { shaped } from "../core/field.ts";
import { isPolicyKey, type Policy } from "../core/policy.ts";
import { invalidInput } from "../core/refusal.ts";
import { quoted } from "../core/visible.ts";
import { changeRoom } from "../engine/commit.ts";
import { operation } from "../engine/operation.ts";
import { changePolicy as decidePolicy } from "./rules/change-policy.ts";

export const changePolicy = operation({
  name: "change_policy",
  summary: "Changes the values of the room's policy; only for a person.",
  needs: { store: "change", caller: "known", room: "existing" },
  input: {
    changes: shaped<Partial<Policy>>({ type: "object" }, (name, raw) => {
      if (typeof raw !== "object" || raw === null) {
        return invalidInput(name, `${name} is not an object.`, "Give the values to change by their names.");
      }
      const unknown = Object.keys(raw).find((key) => !isPolicyKey(key));
      if (unknown === undefined) return raw;
      return invalidInput(unknown, `There is no policy value ${quoted(unknown)}.`, [
        "See the names in the room's policy: ",
        { do: "get_room_state" },
      ]);
    }),
  },
  refusals: ["not_authorized", "room_closed"],
  mcp: "none",
  run: ({ deps, caller, roomId }, { changes }) =>
    changeRoom(deps, caller, { roomId }, ({ room, handles }, given) => decidePolicy(room, given, handles, changes)),
});
