/** Every tool, in the order in which clients list them. */
import { ackMessage, nackMessage } from "../../../mail/acknowledge.ts";
import { deadLetters } from "../../../mail/dead-letters.ts";
import { messageStatus } from "../../../mail/message-status.ts";
import { getRoomEvents, waitForEvents } from "../../../room/events.ts";
import { getRoomState } from "../../../room/get-room-state.ts";
import { joinPath } from "../../../room/join-path.ts";
import { kickMember } from "../../../room/kick-member.ts";
import { leaveRoom } from "../../../room/leave-room.ts";
import { listRooms } from "../../../room/list-rooms.ts";
import { addNote, listNotes, resolveNote } from "../../../room/notes.ts";
import { heartbeat } from "../../../stick/heartbeat.ts";
import { passStick } from "../../../stick/pass-stick.ts";
import { releaseStick } from "../../../stick/release-stick.ts";
import { requestStick } from "../../../stick/request-stick.ts";
import { takeoverStick } from "../../../stick/takeover-stick.ts";
import { waitForTurn } from "../../../stick/wait-with-mail.ts";
import { type Tool, toolOf } from "../tool.ts";
import { askPeer } from "./ask-peer.ts";
import { claimSession } from "./claim-session.ts";
import { getMySession } from "./get-my-session.ts";
import { listProjectSessions } from "./list-project-sessions.ts";
import { readMyMessages } from "./read-my-messages.ts";
import { readSession } from "./read-session.ts";
import { registerMySession } from "./register-my-session.ts";
import { replyToMessage } from "./reply-to-message.ts";
import { sendMessage } from "./send-message.ts";
import { setMyState } from "./set-my-state.ts";

export const TOOLS: readonly Tool[] = [
  toolOf(listRooms),
  toolOf(joinPath),
  toolOf(leaveRoom),
  toolOf(kickMember),
  toolOf(waitForTurn),
  toolOf(heartbeat),
  toolOf(releaseStick),
  toolOf(passStick),
  toolOf(takeoverStick),
  toolOf(requestStick),
  toolOf(getRoomState),
  toolOf(getRoomEvents),
  toolOf(waitForEvents),
  toolOf(addNote),
  toolOf(listNotes),
  toolOf(resolveNote),
  sendMessage,
  readMyMessages,
  toolOf(ackMessage),
  toolOf(nackMessage),
  toolOf(messageStatus),
  askPeer,
  replyToMessage,
  listProjectSessions,
  readSession,
  claimSession,
  registerMySession,
  getMySession,
  setMyState,
  toolOf(deadLetters),
];

/** For clients that can afford only a few. */
export const CORE_TOOLS: readonly Tool[] = [
  toolOf(joinPath),
  toolOf(waitForTurn),
  toolOf(releaseStick),
  toolOf(passStick),
  toolOf(getRoomState),
  sendMessage,
  readMyMessages,
  askPeer,
  replyToMessage,
  listProjectSessions,
];
