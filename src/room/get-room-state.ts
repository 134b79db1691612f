import type { RoomId } from "../core/ids.ts";
import type { Refusal } from "../core/refusal.ts";
import type { Deps } from "../engine/deps.ts";
import { gatherEvidence, givenFor } from "../engine/evidence.ts";
import { OBSERVER } from "../engine/observer.ts";
import { operation } from "../engine/operation.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { membersToAsk, reachabilityIn } from "./reachability.ts";
import { roomNotFound } from "./rules/refusals.ts";
import { afterSleep } from "./rules/settle.ts";
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
  const { room, moment } = snapshot;
  const present = [...room.presence.keys()];
  const reachability = await reachabilityIn(deps, snapshot, membersToAsk(deps, { room, moment }));
  const evidence = { ...gatherEvidence(deps, room, moment, present), ...reachability };
  const given = givenFor(deps, caller ?? OBSERVER, moment, evidence);
  const standing = afterSleep(room, moment);
  return { room: detailOf(standing, given), ...listMembers(standing, given) };
}
