/** Mail that nobody took in time or that was given back too often: looked at, tried once more, or let go. */
import type { Caller } from "../../domain/given.ts";
import { asEventId } from "../../domain/ids.ts";
import { LIMITS } from "../../domain/limits.ts";
import { purgeMail, type Requeued, requeue } from "../../domain/mail/dead-letters.ts";
import type { ReceivedMessage } from "../../domain/mail/message.ts";
import { isRefusal, type Refusal } from "../../domain/refusal.ts";
import type { MailWindow } from "../../ports/mail-store.ts";
import { decodeId } from "../decode.ts";
import type { Deps } from "../deps.ts";
import { changeMailbox } from "./change-mailbox.ts";
import { type DeliveryStatus, statusOf } from "./message-status.ts";
import { withBodies } from "./take-messages.ts";

export interface DeadLetter extends ReceivedMessage, Pick<DeliveryStatus, "attempts"> {
  readonly to: DeliveryStatus["to"];
  readonly reason: string;
  readonly failedAt: string;
}

const DEAD_LETTERS: MailWindow = { kind: "dead_letters", limit: LIMITS.deadLettersPerRead };

export async function listDeadLetters(
  deps: Deps,
  caller: Caller,
): Promise<{ readonly deadLetters: readonly DeadLetter[] }> {
  const { window, moment } = await deps.store.readMailbox(caller.agentId, DEAD_LETTERS);
  const messages = new Map(
    (await withBodies(deps, window.deliveries)).map((message) => [message.deliverySeq, message]),
  );
  return {
    deadLetters: window.deliveries.flatMap((delivery) => {
      const message = messages.get(delivery.seq);
      const { to, attempts } = statusOf(delivery, moment);
      const end = { reason: delivery.reason ?? "", failedAt: delivery.endedAt ?? "" };
      return message ? [{ ...message, to, attempts, ...end }] : [];
    }),
  };
}

/** The dead letter stays as it is; its message gets a new delivery. */
export async function requeueDeadLetter(
  deps: Deps,
  caller: Caller,
  input: { readonly messageId: string },
): Promise<Requeued | Refusal> {
  const messageId = decodeId("message_id", input.messageId);
  if (isRefusal(messageId)) return messageId;
  const id = asEventId(messageId);
  const requeued = await changeMailbox(deps, caller, { kind: "messages", ids: [id] }, (window, given, { freeSeq }) =>
    requeue(window, given, { messageId: id, seq: freeSeq, ttlMs: deps.policy.messageTtlMs }),
  );
  if (!isRefusal(requeued)) await deps.bell.ring([caller.agentId]);
  return requeued;
}

export function purgeDeadLetters(deps: Deps, caller: Caller): Promise<{ readonly purged: number }> {
  return purgeAll(deps, caller, DEAD_LETTERS, "dead_letters");
}

/** Everything the caller has not read ends as expired. */
export function purgeMailbox(deps: Deps, caller: Caller): Promise<{ readonly purged: number }> {
  return purgeAll(deps, caller, { kind: "live", limit: LIMITS.deadLettersPerRead }, "live");
}

async function purgeAll(deps: Deps, caller: Caller, look: MailWindow, which: "live" | "dead_letters") {
  let purged = 0;
  for (;;) {
    const batch = await changeMailbox(deps, caller, look, (window, given) => {
      const { mail, answer } = purgeMail(window, given, which);
      return { mail, answer: { ...answer, changed: mail.deliveries.size } };
    });
    purged += batch.purged;
    // Some of it may only have run out of time, and more may lie behind it.
    if (batch.changed === 0) return { purged };
  }
}
