/** The service as one caller sees it: every use case, with the ports and the caller filled in. */
import type { Caller } from "../domain/given.ts";
import { isRefusal, type Refusal } from "../domain/refusal.ts";
import { changePolicy } from "./change-policy.ts";
import { closeRoom } from "./close-room.ts";
import { decodeAgentId } from "./decode.ts";
import type { Deps } from "./deps.ts";
import { getRoomEvents, waitForEvents } from "./events.ts";
import { getRoomState } from "./get-room-state.ts";
import { heartbeat } from "./heartbeat.ts";
import { joinPath } from "./join-path.ts";
import { kickMember } from "./kick-member.ts";
import { leaveRoom } from "./leave-room.ts";
import { listRooms } from "./list-rooms.ts";
import { listen } from "./listen.ts";
import { ackMessage, nackMessage } from "./mail/acknowledge.ts";
import { asReceiver, type Stay } from "./mail/as-receiver.ts";
import { askPeer } from "./mail/ask-peer.ts";
import {
  type ListDeadLettersInput,
  listDeadLetters,
  purgeDeadLetters,
  purgeMailbox,
  requeueDeadLetter,
} from "./mail/dead-letters.ts";
import { messageStatus } from "./mail/message-status.ts";
import { peekMessages } from "./mail/peek-messages.ts";
import { receiveMessages } from "./mail/receive.ts";
import { replyToMessage } from "./mail/reply-to-message.ts";
import { requestStick } from "./mail/request-stick.ts";
import { type SendMessageInput, sendMessage } from "./mail/send-message.ts";
import { takeMessages } from "./mail/take-messages.ts";
import { nameMyself } from "./name-myself.ts";
import { addNote, listNotes, resolveNote } from "./notes.ts";
import { passStick } from "./pass-stick.ts";
import { releaseStick } from "./release-stick.ts";
import { listProjectSessions } from "./sessions/list-project-sessions.ts";
import { readSession } from "./sessions/read-session.ts";
import { reportActivity } from "./sessions/report-activity.ts";
import { setMyState } from "./sessions/set-my-state.ts";
import { takeoverStick } from "./takeover-stick.ts";
import { waitForTurn } from "./wait-for-turn.ts";

export type TalkingStick = ReturnType<typeof createTalkingStick>;

export function createTalkingStick(deps: Deps, caller: Caller) {
  /** Binds a use case that acts as the caller. */
  const as = <Input, Answer>(useCase: (deps: Deps, caller: Caller, input: Input) => Promise<Answer>) =>
    bound((input: Input) => useCase(deps, caller, input));

  return {
    agentId: caller.agentId,
    listRooms: as(listRooms),
    joinPath: as(joinPath),
    leaveRoom: as(leaveRoom),
    kickMember: as(kickMember),
    closeRoom: as(closeRoom),
    changePolicy: as(changePolicy),
    nameMyself: as(nameMyself),
    getRoomState: as(getRoomState),
    waitForTurn: as(waitForTurn),
    /** A turn that is handed over, a lost reservation and mail, whichever comes first. */
    listen: as(listen),
    heartbeat: as(heartbeat),
    releaseStick: as(releaseStick),
    passStick: as(passStick),
    requestStick: as(requestStick),
    sendMessage: bound((input: SendMessageInput) => sendMessage(deps, caller, input)),
    replyToMessage: as(replyToMessage),
    askPeer: as(askPeer),
    takeMessages: as(takeMessages),
    receiveMessages: as(receiveMessages),
    /**
     * While `work` lasts, senders are told that what they send is seen at once. Work that lasts for days calls `stay` now
     * and then. One at a time in a process.
     */
    async asReceiver<Result>(
      work: (stay: Stay) => Promise<Result>,
      ofWhom: { readonly from?: string } = {},
    ): Promise<Result | Refusal> {
      const from = ofWhom.from === undefined ? null : decodeAgentId("from", ofWhom.from);
      return isRefusal(from) ? from : asReceiver(deps, caller, ofWhom, work);
    },
    peekMessages: as(peekMessages),
    ackMessage: as(ackMessage),
    nackMessage: as(nackMessage),
    messageStatus: bound((input: Parameters<typeof messageStatus>[1]) => messageStatus(deps, input)),
    listDeadLetters: (input?: ListDeadLettersInput) => listDeadLetters(deps, caller, input ?? {}),
    requeueDeadLetter: as(requeueDeadLetter),
    purgeDeadLetters: () => purgeDeadLetters(deps, caller),
    purgeMailbox: () => purgeMailbox(deps, caller),
    takeoverStick: as(takeoverStick),
    setMyState: as(setMyState),
    reportActivity: as(reportActivity),
    listProjectSessions: bound((input: Parameters<typeof listProjectSessions>[1]) => listProjectSessions(deps, input)),
    readSession: bound((input: Parameters<typeof readSession>[1]) => readSession(deps, input)),
    addNote: as(addNote),
    resolveNote: as(resolveNote),
    listNotes: bound((input: Parameters<typeof listNotes>[1]) => listNotes(deps, input)),
    getRoomEvents: bound((input: Parameters<typeof getRoomEvents>[1]) => getRoomEvents(deps, input)),
    waitForEvents: as(waitForEvents),
    close: async (): Promise<void> => {
      await deps.bell.close();
      await deps.store.close();
    },
  };
}

/** Callers without types may forget the input: then every field is missing. */
function bound<Input, Answer>(useCase: (input: Input) => Promise<Answer>): (input: Input) => Promise<Answer> {
  return (input) => useCase(input ?? ({} as Input));
}
