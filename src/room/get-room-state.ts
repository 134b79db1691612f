import type { RoomId } from "../core/ids.ts";
import type { Refusal } from "../core/refusal.ts";
import type { Deps } from "../engine/deps.ts";
import { operation } from "../engine/operation.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { lookAtMembers } from "./reachability.ts";
import { machinesOfRooms, roomMachineFields } from "./room-machine.ts";
import { roomNotFound } from "./rules/refusals.ts";
import { detailOf, listMembers, type MemberList, type RoomDetail } from "./rules/view.ts";

export interface RoomStateAnswer extends MemberList {
  readonly room: RoomDetail;
}

export const getRoomState = operation({
  name: "get_room_state",
  summary: "The room now: state, holder, queue, members with their state cards, and the attached handoff.",
  needs: { store: "read", caller: "anyone", room: "existing" },
  input: {},
  refusals: [],
  mcp: "core",
  run: ({ deps, caller, roomId }) => roomState(deps, caller, roomId),
});

export async function roomState(
  deps: Deps,
  caller: Caller | null,
  roomId: RoomId,
): Promise<RoomStateAnswer | Refusal<"room_not_found">> {
  const snapshot = await deps.store.readRoom(roomId);
  if (!snapshot) return roomNotFound(roomId);
  const { room, given } = await lookAtMembers(deps, snapshot, caller);
  const machineOf = await machinesOfRooms(deps, [room], given.moment, given.evidence.hosts);
  const detail = { ...detailOf(room, given), ...roomMachineFields(machineOf(room), given.moment) };
  return { room: detail, ...listMembers(room, given, deps.probe.self()) };
}
