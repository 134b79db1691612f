import { asRoomId } from "../core/ids.ts";
import { isRefusal, type Refusal } from "../core/refusal.ts";
import { decodeId } from "../engine/decode.ts";
import type { Deps } from "../engine/deps.ts";
import { gatherEvidence, givenFor } from "../engine/evidence.ts";
import { OBSERVER } from "../engine/observer.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { membersToAsk, reachabilityIn } from "./reachability.ts";
import { roomNotFound } from "./rules/refusals.ts";
import { afterSleep } from "./rules/settle.ts";
import { detailOf, listMembers, type MemberList, type RoomDetail } from "./rules/view.ts";

export interface RoomStateAnswer extends MemberList {
  readonly room: RoomDetail;
}

export async function getRoomState(
  deps: Deps,
  caller: Caller | null,
  input: { readonly roomId: string },
): Promise<RoomStateAnswer | Refusal> {
  const roomId = decodeId("room_id", input.roomId);
  if (isRefusal(roomId)) return roomId;
  const snapshot = await deps.store.readRoom(asRoomId(roomId));
  if (!snapshot) return roomNotFound(input.roomId);
  const { room, moment } = snapshot;
  const present = [...room.presence.keys()];
  const reachability = await reachabilityIn(deps, snapshot, membersToAsk(deps, { room, moment }));
  const evidence = { ...gatherEvidence(deps, room, moment, present), ...reachability };
  const given = givenFor(deps, caller ?? OBSERVER, moment, evidence);
  const standing = afterSleep(room, moment);
  return { room: detailOf(standing, given), ...listMembers(standing, given) };
}
