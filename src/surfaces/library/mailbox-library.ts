/** The mailbox protocol as a library. What cannot be done is a rejected promise with a TalkingStickError. */

import type { Refusal } from "../../core/refusal.ts";
import { orThrow, TalkingStickError } from "./error.ts";
import type { MailboxHandle } from "./mailbox.ts";
import type { DeadLetterEntry, EnqueueAck, Message, MessageSummary, NewMessage, Which } from "./mailbox-message.ts";

export interface Mailbox extends AsyncDisposable {
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
    if (closing) throw new TalkingStickError("mailbox_closed", CLOSED);
    return orThrow(work);
  };
  const done = async (work: () => Promise<null | Refusal>): Promise<void> => {
    await call(work);
  };
  const close = () => (closing ??= closeStore());
  return {
    enqueue: (message) => call(() => handle.enqueue(message)),
    dequeue: (sessionId) => call(() => handle.dequeue(sessionId)),
    ack: (sessionId, msgId, which) => done(() => handle.ack(sessionId, msgId, which)),
    nack: (sessionId, msgId, reason, which) => done(() => handle.nack(sessionId, msgId, reason, which)),
    peek: (sessionId) => call(() => handle.peek(sessionId)),
    purge: (sessionId) => done(() => handle.purge(sessionId)),
    peekDeadLetter: (sessionId) => call(() => handle.peekDeadLetter(sessionId)),
    purgeDeadLetter: (sessionId) => done(() => handle.purgeDeadLetter(sessionId)),
    close,
    [Symbol.asyncDispose]: close,
  };
}

const CLOSED: Omit<Refusal, "error"> = {
  message: "The mailbox is closed.",
  next: "Open it again with openMailbox.",
  facts: {},
};
