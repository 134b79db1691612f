/** The mailbox protocol as a library: what cannot be done is a rejected promise, always of one class. */

import { Fault, type FaultCode } from "../../core/fault.ts";
import { wordNext } from "../../core/next.ts";
import { isRefusal, type Refusal, type RefusalCode } from "../../core/refusal.ts";
import type { Mailbox as MailboxHandle } from "./mailbox.ts";
import type { DeadLetterEntry, EnqueueAck, Message, MessageSummary, NewMessage, Which } from "./mailbox-message.ts";

export type MailboxErrorCode = RefusalCode | FaultCode | "mailbox_closed";

/** Why a call was refused or failed. */
export class MailboxError extends Error {
  override readonly name = "MailboxError";
  readonly code: MailboxErrorCode;
  /** One sentence that says what to do now. */
  readonly next: string;
  /** Whether the same call may succeed later without anybody doing anything. */
  readonly retry: boolean;
  /** The store broke down while committing: a look tells whether it happened. */
  readonly outcomeUnknown: boolean;
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(code: MailboxErrorCode, problem: Omit<Refusal, "error"> | Fault) {
    super(problem.message, problem instanceof Fault ? { cause: problem } : undefined);
    this.code = code;
    this.next = wordNext(problem.next);
    this.retry = problem instanceof Fault && problem.retry;
    this.outcomeUnknown = problem instanceof Fault && problem.outcomeUnknown;
    this.facts = problem.facts;
  }
}

export interface Mailbox {
  enqueue(message: NewMessage): Promise<EnqueueAck>;
  /** The oldest message that may go, or null. */
  dequeue(sessionId: string): Promise<Message | null>;
  /**
   * Ends the message that this handle dequeued last under the id and has not answered for. `which` names its sender or its
   * attempt: two senders may have given one id.
   */
  ack(sessionId: string, msgId: string, which?: number | Which): Promise<void>;
  nack(sessionId: string, msgId: string, reason: string, which?: number | Which): Promise<void>;
  /** Every message that has not ended, oldest first. */
  peek(sessionId: string): Promise<MessageSummary[]>;
  purge(sessionId: string): Promise<void>;
  peekDeadLetter(sessionId: string): Promise<DeadLetterEntry[]>;
  purgeDeadLetter(sessionId: string): Promise<void>;
  /** Closes the store. Calls after it are rejected; closing again does nothing. */
  close(): Promise<void>;
}

export function mailboxLibrary(handle: MailboxHandle, closeStore: () => Promise<void>): Mailbox {
  let closing: Promise<void> | null = null;
  const call = async <Answer>(work: () => Promise<Answer | Refusal>): Promise<Answer> => {
    if (closing) throw new MailboxError("mailbox_closed", CLOSED);
    return orReject(work);
  };
  const done = async (work: () => Promise<null | Refusal>): Promise<void> => {
    await call(work);
  };
  return {
    enqueue: (message) => call(() => handle.enqueue(message)),
    dequeue: (sessionId) => call(() => handle.dequeue(sessionId)),
    ack: (sessionId, msgId, which) => done(() => handle.ack(sessionId, msgId, which)),
    nack: (sessionId, msgId, reason, which) => done(() => handle.nack(sessionId, msgId, reason, which)),
    peek: (sessionId) => call(() => handle.peek(sessionId)),
    purge: (sessionId) => done(() => handle.purge(sessionId)),
    peekDeadLetter: (sessionId) => call(() => handle.peekDeadLetter(sessionId)),
    purgeDeadLetter: (sessionId) => done(() => handle.purgeDeadLetter(sessionId)),
    close: () => (closing ??= closeStore()),
  };
}

/** The answer; a refusal or a fault is thrown. */
export async function orReject<Answer>(work: () => Promise<Answer | Refusal>): Promise<Answer> {
  try {
    const answer = await work();
    if (isRefusal(answer)) throw new MailboxError(answer.error, answer);
    return answer;
  } catch (error) {
    throw error instanceof Fault ? new MailboxError(error.code, error) : error;
  }
}

const CLOSED: Omit<Refusal, "error"> = {
  message: "The mailbox is closed.",
  next: "Open it again with openMailbox.",
  facts: {},
};
