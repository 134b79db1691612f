import { flag, optional } from "../core/field.ts";
import { reasonField } from "../core/handoff.ts";
import { changeRoom } from "../engine/commit.ts";
import { operation } from "../engine/operation.ts";
import { closeRoom as decideClose } from "./rules/close.ts";

export const closeRoom = operation({
  name: "close_room",
  summary: "Closes the room; only for a person.",
  needs: { store: "change", caller: "known", room: "existing" },
  input: {
    operatorRequested: optional(flag("also while another member holds the stick")),
    reason: optional(reasonField("why; a holder whose turn ends is told")),
  },
  refusals: ["not_authorized"],
  mcp: "none",
  run: ({ deps, caller, roomId }, { operatorRequested = false, reason = null }) =>
    changeRoom(deps, caller, { roomId }, ({ room }, given) => decideClose(room, given, { operatorRequested, reason })),
});
