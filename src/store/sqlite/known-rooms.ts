/**
 * Rooms as they were last read or written, each with the mark of that state. While the mark is the same, nobody has
 * committed since, and what is known is what a read would bring. A call looks at its room more than once, and a
 * process that changes a room usually changes it again.
 */
import type { RoomId } from "../../core/ids.ts";
import type { Room } from "../../room/rules/room.ts";
import { takesUpHandles } from "../sql/save.ts";
import type { WholeRoom } from "./whole-room.ts";

const MOST_ROOMS = 32;

export class KnownRooms {
  readonly #rooms = new Map<RoomId, { readonly mark: string; readonly whole: WholeRoom }>();

  get(roomId: RoomId, mark: string): WholeRoom | undefined {
    const known = this.#rooms.get(roomId);
    return known?.mark === mark ? known.whole : undefined;
  }

  set(whole: WholeRoom, mark: string): void {
    if (this.#rooms.size >= MOST_ROOMS) this.#rooms.clear();
    this.#rooms.set(whole.room.id, { mark, whole });
  }
}

/** Whether a committed room is what a read would bring: members come in the order of their joining, with their handles. */
export function readsBackAsIs(before: Room, after: Room): boolean {
  const { members } = after.state;
  if (members.size !== before.state.members.size || takesUpHandles(before, after)) return false;
  const was = before.state.members.values();
  for (const { agentId, joinedSeq } of members.values()) {
    const same = was.next().value;
    if (same?.agentId !== agentId || same.joinedSeq !== joinedSeq) return false;
  }
  return true;
}
