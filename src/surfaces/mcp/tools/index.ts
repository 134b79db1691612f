/** Every tool, in the order in which clients list them. */
import type { Tool } from "../tool.ts";
import { ackMessage } from "./ack-message.ts";
import { addNote } from "./add-note.ts";
import { askPeer } from "./ask-peer.ts";
import { claimSession } from "./claim-session.ts";
import { deadLetters } from "./dead-letters.ts";
import { getMySession } from "./get-my-session.ts";
import { getRoomEvents } from "./get-room-events.ts";
import { getRoomState } from "./get-room-state.ts";
import { heartbeat } from "./heartbeat.ts";
import { joinPath } from "./join-path.ts";
import { kickMember } from "./kick-member.ts";
import { leaveRoom } from "./leave-room.ts";
import { listNotes } from "./list-notes.ts";
import { listProjectSessions } from "./list-project-sessions.ts";
import { listRooms } from "./list-rooms.ts";
import { messageStatus } from "./message-status.ts";
import { nackMessage } from "./nack-message.ts";
import { passStick } from "./pass-stick.ts";
import { readMyMessages } from "./read-my-messages.ts";
import { readSession } from "./read-session.ts";
import { registerMySession } from "./register-my-session.ts";
import { releaseStick } from "./release-stick.ts";
import { replyToMessage } from "./reply-to-message.ts";
import { requestStick } from "./request-stick.ts";
import { resolveNote } from "./resolve-note.ts";
import { sendMessage } from "./send-message.ts";
import { setMyState } from "./set-my-state.ts";
import { takeoverStick } from "./takeover-stick.ts";
import { waitForEvents } from "./wait-for-events.ts";
import { waitForTurn } from "./wait-for-turn.ts";

export const TOOLS: readonly Tool[] = [
  listRooms,
  joinPath,
  leaveRoom,
  kickMember,
  waitForTurn,
  heartbeat,
  releaseStick,
  passStick,
  takeoverStick,
  requestStick,
  getRoomState,
  getRoomEvents,
  waitForEvents,
  addNote,
  listNotes,
  resolveNote,
  sendMessage,
  readMyMessages,
  ackMessage,
  nackMessage,
  messageStatus,
  askPeer,
  replyToMessage,
  listProjectSessions,
  readSession,
  claimSession,
  registerMySession,
  getMySession,
  setMyState,
  deadLetters,
];

/** For clients that can afford only a few. */
export const CORE_TOOLS: readonly Tool[] = [
  joinPath,
  waitForTurn,
  releaseStick,
  passStick,
  getRoomState,
  sendMessage,
  readMyMessages,
  askPeer,
  replyToMessage,
  listProjectSessions,
];
