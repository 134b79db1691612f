/**
 * Every operation, in the order in which clients and the reference list them. From this table come the MCP tools, the
 * gateway and docs/operations.md. Commands import single operations, so that no small bundle carries the table.
 */
import type { Operation } from "../engine/operation.ts";
import { ackMessage, nackMessage } from "../mail/acknowledge.ts";
import { askPeer } from "../mail/ask-peer.ts";
import { deadLetters } from "../mail/dead-letters.ts";
import { messageStatus } from "../mail/message-status.ts";
import { readMyMessages } from "../mail/read-my-messages.ts";
import { replyToMessage } from "../mail/reply-to-message.ts";
import { sendMessage } from "../mail/send-message.ts";
import { listProjectSessions } from "../peers/list-project-sessions.ts";
import { readSession } from "../peers/read-session.ts";
import { changePolicy } from "../room/change-policy.ts";
import { closeRoom } from "../room/close-room.ts";
import { getRoomEvents, waitForEvents } from "../room/events.ts";
import { getRoomState } from "../room/get-room-state.ts";
import { joinPath } from "../room/join-path.ts";
import { kickMember } from "../room/kick-member.ts";
import { leaveRoom } from "../room/leave-room.ts";
import { listRooms } from "../room/list-rooms.ts";
import { nameMyself } from "../room/name-myself.ts";
import { addNote, listNotes, resolveNote } from "../room/notes.ts";
import { registerMySession } from "../room/register-my-session.ts";
import { claimSession } from "../session/claim-session.ts";
import { getMySession } from "../session/get-my-session.ts";
import { setMyState } from "../session/set-my-state.ts";
import { giveStick } from "../stick/give-stick.ts";
import { heartbeat } from "../stick/heartbeat.ts";
import { passStick } from "../stick/pass-stick.ts";
import { pauseRoom, resumeRoom } from "../stick/pause-room.ts";
import { releaseStick } from "../stick/release-stick.ts";
import { requestStick } from "../stick/request-stick.ts";
import { takeoverStick } from "../stick/takeover-stick.ts";
import { waitForTurn } from "../stick/wait-with-mail.ts";
import { diffTurn } from "../turns/diff-turn.ts";
import { listTurns } from "../turns/list-turns.ts";
import { restoreTurn } from "../turns/restore-turn.ts";
import { showTurn } from "../turns/show-turn.ts";

/** Each operation has types of its own; the door gives each what it needs. */
export const OPERATIONS = [
  listRooms,
  joinPath,
  leaveRoom,
  kickMember,
  closeRoom,
  changePolicy,
  nameMyself,
  waitForTurn,
  heartbeat,
  releaseStick,
  passStick,
  takeoverStick,
  giveStick,
  pauseRoom,
  resumeRoom,
  requestStick,
  getRoomState,
  getRoomEvents,
  waitForEvents,
  addNote,
  listNotes,
  resolveNote,
  listTurns,
  showTurn,
  diffTurn,
  restoreTurn,
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
] as readonly unknown[] as readonly Operation[];
