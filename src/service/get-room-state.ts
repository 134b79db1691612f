import type { Caller } from "../domain/given.ts";
import { asRoomId } from "../domain/ids.ts";
import { isRefusal, type Refusal } from "../domain/refusal.ts";
import { roomNotFound } from "../domain/room/refusals.ts";
import { afterSleep } from "../domain/room/settle.ts";
import { detailOf, listMembers, type MemberList, type RoomDetail } from "../domain/room/view.ts";
import { decodeId } from "./decode.ts";
import type { Deps } from "./deps.ts";
import { gatherEvidence, givenFor } from "./evidence.ts";
import { OBSERVER } from "./observer.ts";
import { membersToAsk, reachabilityIn } from "./reachability.ts";

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
