/** What a mailbox's owner does with mail that nobody took: show, requeue or purge it. */

import type { EventId } from "../../core/ids.ts";
import type { Delivery, MailChange } from "../../core/mail-records.ts";
import { type Refusal, refuse } from "../../core/refusal.ts";
import { after, wallTimeOf } from "../../core/time.ts";
import type { Given } from "../../session/rules/decision-input.ts";
import { attemptOf, isLive, purged } from "./delivery.ts";
import { withDelivery } from "./mail-change.ts";
import { type MailboxWindow, type MailDecision, settleMail } from "./take.ts";

export interface Requeued {
  readonly messageId: EventId;
  readonly deliverySeq: number;
  readonly requeuedFrom: number;
}

/** A dead letter stays dead; its message gets a new delivery, with attempts of its own. */
export function requeue(
  window: MailboxWindow,
  given: Given,
  command: { readonly messageId: EventId; readonly seq: number; readonly ttlMs: number },
): MailDecision<Requeued | Refusal<"message_not_found">> {
  const { mail } = settleMail(window, given);
  const last = current(window, mail).findLast(({ messageId }) => messageId === command.messageId);
  if (last?.state !== "dead_letter" || last.purged) return { mail, answer: noDeadLetter(command.messageId, last) };
  const expires = after(given.moment.instant, command.ttlMs);
  const again: Delivery = {
    ...last,
    seq: command.seq,
    state: "pending",
    due: null,
    attempts: [],
    attemptsBefore: attemptOf(last),
    requeuedFrom: last.seq,
    reason: null,
    endedAt: null,
    expires,
    expiresAt: wallTimeOf(expires, given.moment),
  };
  return {
    mail: withDelivery(mail, null, again),
    answer: { messageId: last.messageId, deliverySeq: again.seq, requeuedFrom: last.seq },
  };
}

/** Lets go of the loaded deliveries that are live, or of the dead letters among them. */
export function purgeMail(
  window: MailboxWindow,
  given: Given,
  which: "live" | "dead_letters",
): MailDecision<{ readonly purged: number }> {
  let { mail } = settleMail(window, given);
  let count = 0;
  for (const delivery of current(window, mail)) {
    const goes = which === "live" ? isLive(delivery) : delivery.state === "dead_letter" && !delivery.purged;
    if (!goes) continue;
    mail = withDelivery(mail, delivery, purged(delivery, given.moment));
    count += 1;
  }
  return { mail, answer: { purged: count } };
}

function current({ deliveries }: MailboxWindow, mail: MailChange): readonly Delivery[] {
  return deliveries.map((delivery) => mail.deliveries.get(delivery.seq) ?? delivery);
}

function noDeadLetter(messageId: EventId, last: Delivery | undefined): Refusal<"message_not_found"> {
  if (last && last.requeuedFrom !== null) {
    return refuse(
      "message_not_found",
      `The dead letter ${JSON.stringify(messageId)} was requeued before; that delivery is ${last.state}.`,
      isLive(last)
        ? ["Read your messages: ", { do: "read_my_messages" }]
        : ["Nothing is left to do. See its history: ", { do: "message_status", with: { message_id: messageId } }],
    );
  }
  return refuse(
    "message_not_found",
    `There is no dead letter ${JSON.stringify(messageId)} in this mailbox that can be requeued.`,
    ["Give the message_id of one of your dead letters: ", { do: "dead_letters" }],
  );
}
