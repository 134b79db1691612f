/**
 * The library's objects: a participant joins rooms, a room gives turns, a mailbox gives messages. A call that fails or
 * is refused rejects its promise with a TalkingStickError.
 */
import type { Artifact, Handoff } from "../../core/handoff.ts";
import type { OperationName } from "../../core/operation-names.ts";
import type { Policy } from "../../core/policy.ts";
import type { Asked } from "../../mail/ask-peer.ts";
import type { SentAnswer } from "../../mail/post-message.ts";
import type { ReceivedMessage } from "../../mail/rules/message.ts";
import type { PeerEntry } from "../../peers/list-project-sessions.ts";
import type { EventBatch } from "../../room/events.ts";
import type { RoomStateAnswer } from "../../room/get-room-state.ts";
import type { NoteList } from "../../room/notes.ts";
import type { EventView } from "../../room/rules/event-view.ts";
import type { Note } from "../../room/rules/note.ts";
import type { RoomSummary } from "../../room/rules/view.ts";
import type { Passed } from "../../stick/rules/pass.ts";
import type { Released } from "../../stick/rules/release.ts";
import type { NOT_BY_NAME } from "./call-for.ts";

/** One caller with its own connection to the store. */
export interface Participant extends AsyncDisposable {
  /** The name by which other agents know it. */
  readonly agentId: string;
  /** What kind of program it is; `library` unless the options say otherwise. */
  readonly harness: string;
  /** Joins the room that covers a directory, or creates it at the root of the working tree. */
  join(path?: string, options?: JoinInput): Promise<JoinedRoom>;
  /** The rooms of the project that a directory belongs to. */
  rooms(options?: RoomsInput): Promise<readonly RoomSummary[]>;
  /** The sessions that are at work in the project of a directory. */
  peers(options?: PeersInput): Promise<readonly PeerEntry[]>;
  /** Sends from the room of the directory. */
  send(message: SendInput): Promise<SentAnswer>;
  /** Asks from the room of the directory and waits for the reply; `reply` is null if none came in time. */
  ask(question: AskInput): Promise<Asked>;
  /** The participant's mail, from every room, until the signal aborts, `close` is called, or the loop ends. */
  messages(options?: MessagesInput): AsyncGenerator<InboxMessage, void, undefined>;
  /** Any other operation by its name on the wire. The answer has the fields that docs list, in camelCase. */
  perform(operation: NamedOperation, input?: Readonly<Record<string, unknown>>): Promise<object>;
  /** Ends pending calls, gives up the turns that are still held, returns unanswered mail, and closes the store. */
  close(): Promise<void>;
}

/** Turns are objects of their own, and only a session inside a harness can be claimed or registered. */
export type NamedOperation = Exclude<OperationName, (typeof NOT_BY_NAME)[number]>;

/** A room that the participant has joined. */
export interface JoinedRoom {
  readonly id: string;
  /** The directory that the room covers. */
  readonly path: string;
  readonly project: string;
  /** The participant's short name in the project. */
  readonly handle: string;
  /** The values of the room's policy, as they were when it was joined. */
  readonly policy: Policy;
  /** Waits for the stick. Null: not yet; the place in the queue is kept for a while. */
  waitForTurn(options?: WaitInput): Promise<HeldTurn | null>;
  /** Takes the stick from a holder that is gone, after `waitForTurn` was rejected with `takeover_available`. */
  takeOver(input: TakeOverInput): Promise<HeldTurn>;
  /** Holder, queue, members, and the handoff that is attached. */
  state(): Promise<RoomStateAnswer>;
  /** Sends to a member, or to everybody in the room if `to` is left out. */
  send(message: SendInput): Promise<SentAnswer>;
  /** Asks a member and waits for the reply; `reply` is null if none came in time. */
  ask(question: AskInput): Promise<Asked>;
  readonly notes: RoomNotes;
  readonly events: RoomEvents;
  /** Removes a member that is proven gone. */
  kick(agentId: string, options?: KickInput): Promise<void>;
  /** Leaves the room; a turn that is held there ends. */
  leave(): Promise<void>;
}

/** The right to write. At the end of its scope a turn that was neither released nor passed is given up. */
export interface HeldTurn extends AsyncDisposable {
  readonly turnId: number;
  /** The handoff of the previous holder; null if there is none yet. */
  readonly handoff: Handoff | null;
  readonly fromAgentId: string | null;
  /** Aborts when the turn is lost; its reason is the TalkingStickError that says how. */
  readonly signal: AbortSignal;
  /** Hands over to the next in the queue. */
  release(handoff: HandoffInput): Promise<Released>;
  /** Hands over to one member. */
  pass(toAgentId: string, handoff: HandoffInput): Promise<Passed>;
  /** Renews the lease now. The library does so by itself while the program makes calls. */
  renew(): Promise<void>;
  /**
   * Gives the turn up if it is still held. The next agent in the queue gets it with the handoff that this turn began
   * with.
   */
  close(): Promise<void>;
}

/** A message in flight: it comes again unless it is acknowledged. */
export interface InboxMessage extends ReceivedMessage {
  /** Says that the message was handled, so it does not come again. */
  ack(): Promise<void>;
  /** Says that handling the message failed. It comes again later, or becomes a dead letter. */
  nack(reason: string): Promise<void>;
  /** Answers its sender. It still has to be acknowledged. */
  reply(body: string): Promise<SentAnswer>;
}

/** The notes of the room. They stay until an agent resolves them. */
export interface RoomNotes {
  add(body: string, options?: NoteInput): Promise<Note>;
  /** The newest notes, oldest first. */
  list(options?: NotesInput): Promise<NoteList>;
  resolve(noteId: string): Promise<void>;
}

/** The log of the room. */
export interface RoomEvents {
  /** The newest events, or those after a cursor. */
  list(options?: EventsInput): Promise<EventBatch>;
  /** Events as they happen, until the signal aborts, `close` is called, or the loop ends. */
  follow(options?: FollowInput): AsyncGenerator<EventView, void, undefined>;
}

/** Who opens the store, and where it is. */
export interface OpenOptions {
  /** Who the caller is, for example `script:nightly`. It counts as alive while this process is. */
  readonly agentId: string;
  readonly harness?: string;
  /** The directory for calls that name none; the current one by default. */
  readonly directory?: string;
  /** Where TT_DATA_DIR, TT_STORE, TT_CONFIG and the policy defaults are read from; `process.env` by default. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** How to join a room. */
export interface JoinInput {
  /** Creates a room of its own at exactly this directory. */
  readonly forceNew?: boolean;
}

/** Which project's rooms to list. */
export interface RoomsInput {
  readonly path?: string;
}

/** Which project's sessions to list. */
export interface PeersInput {
  readonly path?: string;
  /** Also those that are not live, each with its `status`. */
  readonly all?: boolean;
}

/** A message to send. */
export interface SendInput {
  readonly body: string;
  /** An agent's id, handle, session or tmux session; left out: everybody in the room. */
  readonly to?: string;
  readonly deliveryHint?: "normal" | "interrupt";
  /** The id of the message that this one answers. */
  readonly replyTo?: string;
  /** The id of the message that is forwarded. */
  readonly sourceMessageId?: string;
  /** The sender's own id of this message: sent again, it is not delivered twice. */
  readonly msgId?: string;
  /** `auto`, the default of an interrupt, wakes an idle recipient. */
  readonly wake?: "off" | "auto";
}

/** A question to ask. */
export interface AskInput {
  readonly to: string;
  readonly body: string;
  /** The room's `askTimeoutMs` by default. */
  readonly timeoutMs?: number;
  readonly msgId?: string;
  readonly signal?: AbortSignal;
}

/** Which messages to take, and until when. */
export interface MessagesInput {
  /** Only from this agent. */
  readonly from?: string;
  /** Ends the loop. */
  readonly signal?: AbortSignal;
}

/** How long to wait for a turn. */
export interface WaitInput {
  /** 0 looks once and takes no place in the queue. The room's `waitMaxMs` by default. */
  readonly timeoutMs?: number;
  /** Gives the place in the queue up; the promise is rejected with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** Why the stick is taken. */
export interface TakeOverInput {
  /** Why; the former holder is told. */
  readonly reason: string;
}

/** What the next holder must know. */
export interface HandoffInput {
  /** What is true now. */
  readonly status: string;
  /** The first thing the next holder should do. */
  readonly nextAction: string;
  readonly artifacts?: readonly (Artifact | string)[];
  readonly openQuestions?: readonly string[];
  readonly doNot?: readonly string[];
}

/** Why a member is removed. */
export interface KickInput {
  readonly reason?: string;
}

/** What a note is about. */
export interface NoteInput {
  /** The turn that the note is about. */
  readonly turnId?: number;
}

/** Which notes to list. */
export interface NotesInput {
  readonly limit?: number;
  readonly unresolvedOnly?: boolean;
  /** Only those older than this note. */
  readonly beforeNoteId?: string;
}

/** Which events to list. */
export interface EventsInput {
  /** A cursor from an earlier list; left out: the newest events. */
  readonly afterEventSeq?: number;
  readonly limit?: number;
}

/** Which events to follow, and until when. */
export interface FollowInput {
  /** A cursor from a list; left out: from now on. */
  readonly afterEventSeq?: number;
  readonly eventTypes?: readonly EventView["eventType"][];
  /** `any` by default; `self` is what concerns the participant; otherwise an agent's id. */
  readonly target?: string;
  readonly fromAgentId?: string;
  /** Ends the loop. */
  readonly signal?: AbortSignal;
}
