import { text } from "../core/field.ts";
import { changeRoom } from "../engine/commit.ts";
import { operation } from "../engine/operation.ts";
import { nameMyself as decideName } from "./rules/name-myself.ts";

export const nameMyself = operation({
  name: "name_myself",
  summary: "Takes a handle, the short name under which others find you.",
  needs: { store: "change", caller: "known", room: "joined" },
  input: { handle: text(Number.POSITIVE_INFINITY) },
  refusals: ["room_closed"],
  mcp: "none",
  run: ({ deps, caller, roomId }, { handle }) =>
    changeRoom(deps, caller, { roomId }, ({ room, handles }, given) => decideName(room, given, handles, { handle })),
});
