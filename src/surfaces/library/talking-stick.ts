/**
 * The service as one caller sees it: every use case, with the ports and the caller filled in. Refusals are values here. The
 * library's objects, the MCP server, the demo and the tests stand on it; it is not exported.
 */

import type { Fields } from "../../core/field.ts";
import { isRefusal, type Refusal } from "../../core/refusal.ts";
import { decodeAgentId } from "../../engine/decode.ts";
import type { Deps } from "../../engine/deps.ts";
import { type InFlight, NOTHING_IN_FLIGHT } from "../../engine/in-flight.ts";
import type { Needs, Operation } from "../../engine/operation.ts";
import { ackMessage, nackMessage } from "../../mail/acknowledge.ts";
import { asReceiver, type Stay } from "../../mail/as-receiver.ts";
import { askPeer, type QuestionSent } from "../../mail/ask-peer.ts";
import {
  type ListDeadLettersInput,
  listDeadLetters,
  purgeDeadLetters,
  purgeMailbox,
  requeueDeadLetter,
} from "../../mail/dead-letters.ts";
import { messageStatus } from "../../mail/message-status.ts";
import { peekMessages } from "../../mail/peek-messages.ts";
import type { SentAnswer } from "../../mail/post-message.ts";
import { receiveMessages } from "../../mail/receive.ts";
import { replyToMessage } from "../../mail/reply-to-message.ts";
import { sendMessage } from "../../mail/send-message.ts";
import { takeMessages } from "../../mail/take-messages.ts";
import { listProjectSessions } from "../../peers/list-project-sessions.ts";
import { readSession } from "../../peers/read-session.ts";
import { changePolicy } from "../../room/change-policy.ts";
import { closeRoom } from "../../room/close-room.ts";
import { getRoomEvents, untilEvents } from "../../room/events.ts";
import { getRoomState } from "../../room/get-room-state.ts";
import { joinPath } from "../../room/join-path.ts";
import { kickMember } from "../../room/kick-member.ts";
import { leaveRoom } from "../../room/leave-room.ts";
import { roomsAround } from "../../room/list-rooms.ts";
import { nameMyself } from "../../room/name-myself.ts";
import { addNote, listNotes, resolveNote } from "../../room/notes.ts";
import { reportActivity } from "../../session/note-session.ts";
import type { Caller } from "../../session/rules/decision-input.ts";
import { setMyState } from "../../session/set-my-state.ts";
import { giveStick } from "../../stick/give-stick.ts";
import { heartbeat } from "../../stick/heartbeat.ts";
import { listen } from "../../stick/listen.ts";
import { passStick } from "../../stick/pass-stick.ts";
import { pauseRoom, resumeRoom } from "../../stick/pause-room.ts";
import { releaseStick } from "../../stick/release-stick.ts";
import { requestStick } from "../../stick/request-stick.ts";
import { takeoverStick } from "../../stick/takeover-stick.ts";
import { untilTurn } from "../../stick/wait-for-turn.ts";
import { type Door, type LibraryInput, perform } from "../door.ts";

type AskPeerInput = LibraryInput<(typeof askPeer)["needs"], (typeof askPeer)["input"]> & {
  readonly signal?: AbortSignal;
  readonly onSent?: (sent: SentAnswer) => void;
};

export type TalkingStick = ReturnType<typeof createTalkingStick>;

/** `directory`: the one that is meant where no path and no room is named. */
export function createTalkingStick(deps: Deps, caller: Caller, directory = "") {
  /** Binds a use case that acts as the caller. */
  const as = <Input, Answer>(useCase: (deps: Deps, caller: Caller, input: Input) => Promise<Answer>) =>
    bound((input: Input) => useCase(deps, caller, input));

  const door: Door = { directory, deps: async () => deps, caller: async () => caller };
  const through = <N extends Needs, F extends Fields, Answer extends object>(operation: Operation<N, F, Answer>) =>
    bound((input: LibraryInput<N, F>) => perform(operation, door, { ...input }));

  /** Runs an operation whose answer carries mail: it comes with the means to confirm that mail. */
  const carrying = async <N extends Needs, F extends Fields, Answer extends object>(
    operation: Operation<N, F, Answer>,
    { signal, ...input }: LibraryInput<N, F> & { readonly signal?: AbortSignal },
    onLook: (seen: object) => void,
  ) => {
    let taken = NOTHING_IN_FLIGHT;
    const afterOutput = (mail: InFlight) => void (taken = mail);
    const answer = await perform(operation, door, input, { afterOutput, onLook, ...(signal && { cancel: signal }) });
    return isRefusal(answer) ? answer : { ...taken, answer };
  };

  return {
    agentId: caller.agentId,
    /** Without a path, the rooms of every project. */
    listRooms: bound((input: { readonly contextPath?: string }) =>
      roomsAround(deps, caller, input.contextPath ?? null),
    ),
    joinPath: through(joinPath),
    leaveRoom: through(leaveRoom),
    kickMember: through(kickMember),
    closeRoom: through(closeRoom),
    changePolicy: through(changePolicy),
    nameMyself: through(nameMyself),
    getRoomState: through(getRoomState),
    waitForTurn: as(untilTurn),
    /** A turn that is handed over, a lost reservation and mail, whichever comes first. */
    listen: as(listen),
    heartbeat: through(heartbeat),
    releaseStick: through(releaseStick),
    passStick: through(passStick),
    requestStick: through(requestStick),
    sendMessage: through(sendMessage),
    replyToMessage: through(replyToMessage),
    /** `onSent` is told once the question is in the log, at times while the peer's machine is silent, and when it is back. */
    askPeer: bound(({ onSent, ...input }: AskPeerInput) =>
      carrying(askPeer, input, (seen) => onSent?.((seen as QuestionSent).sent)),
    ),
    takeMessages: as(takeMessages),
    receiveMessages: as(receiveMessages),
    /**
     * While `work` lasts, senders are told that what they send is seen at once. Work that lasts for days calls `stay` now
     * and then. One at a time in a process.
     */
    async asReceiver<Result>(
      work: (stay: Stay) => Promise<Result>,
      sender: { readonly from?: string } = {},
    ): Promise<Result | Refusal> {
      const from = sender.from === undefined ? null : decodeAgentId("from", sender.from);
      return isRefusal(from) ? from : asReceiver(deps, caller, sender, work);
    },
    peekMessages: as(peekMessages),
    ackMessage: through(ackMessage),
    nackMessage: through(nackMessage),
    messageStatus: through(messageStatus),
    listDeadLetters: (input?: ListDeadLettersInput) => listDeadLetters(deps, caller, input ?? {}),
    requeueDeadLetter: as(requeueDeadLetter),
    purgeDeadLetters: () => purgeDeadLetters(deps, caller),
    purgeMailbox: () => purgeMailbox(deps, caller),
    takeoverStick: through(takeoverStick),
    giveStick: through(giveStick),
    pauseRoom: through(pauseRoom),
    resumeRoom: through(resumeRoom),
    setMyState: through(setMyState),
    reportActivity: as(reportActivity),
    listProjectSessions: through(listProjectSessions),
    readSession: through(readSession),
    addNote: through(addNote),
    resolveNote: through(resolveNote),
    listNotes: through(listNotes),
    getRoomEvents: through(getRoomEvents),
    waitForEvents: as(untilEvents),
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
