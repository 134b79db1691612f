/** Every operation that is defined as one, in the order in which references list them. */
import type { Operation } from "../engine/operation.ts";
import { ackMessage, nackMessage } from "../mail/acknowledge.ts";
import { deadLetters } from "../mail/dead-letters.ts";
import { messageStatus } from "../mail/message-status.ts";
import { changePolicy } from "../room/change-policy.ts";
import { closeRoom } from "../room/close-room.ts";
import { getRoomState } from "../room/get-room-state.ts";
import { joinPath } from "../room/join-path.ts";
import { kickMember } from "../room/kick-member.ts";
import { leaveRoom } from "../room/leave-room.ts";
import { listRooms } from "../room/list-rooms.ts";
import { nameMyself } from "../room/name-myself.ts";
import { addNote, listNotes, resolveNote } from "../room/notes.ts";

/** Each operation has types of its own; the door gives each what it needs. */
export const OPERATIONS = [
  listRooms,
  joinPath,
  leaveRoom,
  kickMember,
  closeRoom,
  changePolicy,
  nameMyself,
  getRoomState,
  addNote,
  listNotes,
  resolveNote,
  ackMessage,
  nackMessage,
  messageStatus,
  deadLetters,
] as readonly unknown[] as readonly Operation[];
