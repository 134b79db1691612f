/** Mail that nobody took in time or that was given back too often: looked at, tried once more, or let go. */
import type { Caller } from "../../domain/given.ts";
import { asEventId, type EventId } from "../../domain/ids.ts";
import { LIMITS } from "../../domain/limits.ts";
import { purgeMail, type Requeued, requeue } from "../../domain/mail/dead-letters.ts";
import { settled } from "../../domain/mail/delivery.ts";
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

export function listDeadLetters(deps: Deps, caller: Caller): Promise<{ readonly deadLetters: readonly DeadLetter[] }> {
  return deadLettersIn(deps, caller, DEAD_LETTERS);
}

/** One of them, however many there are. */
export async function findDeadLetter(deps: Deps, caller: Caller, messageId: string): Promise<DeadLetter | null> {
  const look: MailWindow = { kind: "messages", ids: [asEventId(messageId)] };
  return (await deadLettersIn(deps, caller, look)).deadLetters.at(-1) ?? null;
}

async function deadLettersIn(
  deps: Deps,
  caller: Caller,
  look: MailWindow,
): Promise<{ readonly deadLetters: readonly DeadLetter[] }> {
  const { window, moment } = await deps.store.readMailbox(caller.agentId, look);
  const dead = window.deliveries
    .map((delivery) => settled(delivery, moment))
    .filter(({ state, purged }) => state === "dead_letter" && !purged);
  const messages = new Map((await withBodies(deps, dead)).map((message) => [message.deliverySeq, message]));
  return {
    deadLetters: dead.flatMap((delivery) => {
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
  const ttlMs = await timeToLive(deps, id);
  const requeued = await changeMailbox(deps, caller, { kind: "messages", ids: [id] }, (window, given, { freeSeq }) =>
    requeue(window, given, { messageId: id, seq: freeSeq, ttlMs }),
  );
  if (!isRefusal(requeued)) await deps.bell.ring([caller.agentId]);
  return requeued;
}

/** As long as the room in which it was sent allows; the message may be older than what is left of that room. */
async function timeToLive({ store, policy }: Deps, messageId: EventId): Promise<number> {
  const [message] = await store.readMessages([messageId]);
  const snapshot = message && (await store.readRoom(message.roomId));
  return (snapshot?.room.policy ?? policy).messageTtlMs;
}

export function purgeDeadLetters(deps: Deps, caller: Caller): Promise<{ readonly purged: number }> {
  return purgeAll(deps, caller, "dead_letters");
}

/** Everything the caller has not read ends as expired. */
export function purgeMailbox(deps: Deps, caller: Caller): Promise<{ readonly purged: number }> {
  return purgeAll(deps, caller, "live");
}

async function purgeAll(deps: Deps, caller: Caller, kind: "live" | "dead_letters") {
  let purged = 0;
  for (let after = 0; ; ) {
    const look: MailWindow = { kind, limit: LIMITS.deadLettersPerRead, after };
    const page = await changeMailbox(deps, caller, look, (window, given) => {
      const { mail, answer } = purgeMail(window, given, kind);
      return { mail, answer: { ...answer, last: window.deliveries.at(-1)?.seq } };
    });
    purged += page.purged;
    if (page.last === undefined) return { purged };
    after = page.last;
  }
}
