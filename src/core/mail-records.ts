/**
 * The records of mail: deliveries, the heads of mailboxes, asks, and what a change does to them. Stores keep them, and
 * a change of a room may carry them; src/mail/rules says how each of them changes.
 */
import type { AgentId, EventId, Handle, RoomId } from "./ids.ts";
import type { ProcessRef } from "./process.ts";
import type { Deadline, Instant } from "./time.ts";

export const DELIVERY_STATES = ["pending", "in_flight", "acked", "dead_letter", "expired"] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

export const ATTEMPT_OUTCOMES = ["in_flight", "shown", "acked", "nacked", "timed_out", "given_back"] as const;

export interface Attempt {
  readonly n: number;
  /** The door it went through. */
  readonly transport: string;
  readonly at: string;
  readonly outcome: (typeof ATTEMPT_OUTCOMES)[number];
  readonly reason?: string;
  /** The turn in which a hook showed it, null where the harness names no turns. Absent: no hook has shown it. */
  readonly shownIn?: string | null;
}

/** The policy of the sender's room when the message was sent. */
export interface Terms {
  readonly maxRetries: number;
  readonly baseBackoffMs: number;
  readonly inflightTimeoutMs: number;
}

export interface Delivery {
  /** Grows with every delivery in the store, so within one mailbox it is the order of commits, even after a merge. */
  readonly seq: number;
  readonly recipient: AgentId;
  readonly messageId: EventId;
  /** The sender's own id, or else the `messageId`: the recipient acks by it in the mailbox protocol. */
  readonly msgId: string;
  readonly roomId: RoomId;
  readonly eventSeq: number;
  readonly from: AgentId;
  readonly fromHandle: Handle | null;
  readonly fromHarness: string;
  readonly bodyBytes: number;
  readonly interrupt: boolean;
  readonly replyTo: EventId | null;
  readonly terms: Terms;
  /** On the clock that no jump moves; after a reboot, fall back to the wall time in `expiresAt`. */
  readonly expires: Deadline;
  readonly expiresAt: string;
  readonly state: DeliveryState;
  /** When in flight: until when an answer is awaited. When pending: not before this; null means at once. */
  readonly due: Deadline | null;
  /** In order. If a message was given back very often, some numbers are missing. */
  readonly attempts: readonly Attempt[];
  /** How many attempts an earlier delivery of the same message had, so that no attempt number comes twice. */
  readonly attemptsBefore: number;
  readonly requeuedFrom: number | null;
  /** Why it ended as a dead letter or expired. */
  readonly reason: string | null;
  readonly endedAt: string | null;
  /** A purged dead letter stays as a mark that it was there. */
  readonly purged: boolean;
}

export type DeliveryCounts = Readonly<Record<DeliveryState, number>>;

/** A process that shows new mail as soon as it comes. */
export interface Receiver {
  readonly process: ProcessRef;
  /** The harness that it shows the mail to, if that is another process. */
  readonly harness?: ProcessRef;
  readonly until: Deadline;
  /** It shows only the mail of this sender. */
  readonly from?: AgentId;
}

/**
 * The outcome of the newest wake attempt. `trying`: nothing has happened yet. `acting`: something may have happened.
 * `fired_unconfirmed`: the wake was sent. `fired`: the recipient showed a sign of life. `failed`: nothing happened,
 * and another process may try.
 */
export const WAKE_OUTCOMES = ["trying", "acting", "fired", "fired_unconfirmed", "failed"] as const;
export type WakeOutcome = (typeof WAKE_OUTCOMES)[number];

/** A process is about to wake the owner. No other process tries until the claim expires, or once the wake has begun. */
export interface WakeClaim {
  /** The process that wakes; when it is gone, its claim is void. */
  readonly process: ProcessRef;
  readonly until: Deadline;
  /** Where `wokenSeq` was before. */
  readonly before: number;
}

/** How much the sender may still send, and when that was computed. */
export interface Allowance {
  readonly left: number;
  readonly at: Instant;
}

export interface StoredMailbox {
  readonly agentId: AgentId;
  readonly counts: DeliveryCounts;
  /** How many of those in flight a hook has shown. */
  readonly shown: number;
  /** The newest delivery that a wait has told its owner of. */
  readonly announcedSeq: number;
  /** The newest delivery for which a process tried, or is about to try, to wake its owner. */
  readonly wokenSeq: number;
  /** The newest delivery whose sender wants its owner woken. */
  readonly wakeWantedSeq: number;
  /** What came of the newest attempt to wake its owner; null before the first. */
  readonly wakeOutcome: WakeOutcome | null;
  /** The process that attempts it; null when the attempt has ended. */
  readonly wakeClaim: WakeClaim | null;
  readonly receivers: readonly Receiver[];
  readonly allowance: Allowance | null;
}

export const ASK_STATES = ["waiting", "answered", "timed_out", "cancelled"] as const;
export type AskState = (typeof ASK_STATES)[number];

export interface Ask {
  /** The asking message's own id. */
  readonly requestId: EventId;
  readonly asker: AgentId;
  readonly peer: AgentId;
  readonly state: AskState;
  readonly until: Deadline;
  readonly caller: ProcessRef | null;
  readonly replyId: EventId | null;
  /**
   * For a peer that cannot say what it answers: its first message after this delivery counts as the answer. Null for
   * all others.
   */
  readonly afterSeq: number | null;
}

/** Where a message went at the moment it was sent. */
export interface DeliveryReceipt {
  readonly to: AgentId;
  readonly state: Delivery["state"];
  readonly willBeSeen: WillBeSeen;
}

/** `now`: it is receiving. Nothing here is guessed from presence. */
export type WillBeSeen = "now" | "next_tool_call" | "turn_end" | "on_wake" | "when_it_returns" | "unknown";

export interface Sent {
  readonly messageId: EventId;
  readonly eventSeq: number;
  readonly createdAt: string;
  readonly deliveries: readonly DeliveryReceipt[];
}

/** Recognises a repeated send: never deleted, even when the message itself has been pruned. */
export interface SentRecord {
  readonly sender: AgentId;
  readonly msgId: string;
  /**
   * The digest of everything the sender said. It shows if the sender uses the id again for other content; see
   * `joinDigests`.
   */
  readonly digest: string;
  readonly answer: Sent;
}

export interface MailChange {
  /** The new state of every mailbox that was read. */
  readonly boxes: ReadonlyMap<AgentId, StoredMailbox>;
  /** New and changed deliveries by their number. */
  readonly deliveries: ReadonlyMap<number, Delivery>;
  readonly asks: ReadonlyMap<string, Ask>;
  readonly sent: SentRecord | null;
}
