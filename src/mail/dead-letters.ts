/** Mail that nobody took in time or that was given back too often: shown, requeued or purged. */

import { idOf, integer, optional } from "../core/field.ts";
import { asEventId, type EventId } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import type { Delivery } from "../core/mail-records.ts";
import { isRefusal, type Refusal } from "../core/refusal.ts";
import { decodeId, decodeInteger } from "../engine/decode.ts";
import type { Deps } from "../engine/deps.ts";
import { operation } from "../engine/operation.ts";
import type { MailWindow } from "../engine/ports/mail-store.ts";
import { wholeId } from "../engine/whole-id.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { changeMailbox } from "./change-mailbox.ts";
import { refuseAhead } from "./mailbox-reads.ts";
import { type DeliveryStatus, statusOf } from "./message-status.ts";
import { purgeMail, type Requeued, requeue } from "./rules/dead-letters.ts";
import { settled } from "./rules/delivery.ts";
import type { ReceivedMessage } from "./rules/message.ts";
import { withBodies } from "./take-messages.ts";

export interface DeadLetter extends ReceivedMessage, Pick<DeliveryStatus, "attempts"> {
  readonly to: DeliveryStatus["to"];
  readonly reason: string;
  readonly failedAt: string;
  /** The `deliverySeq` that its message got when it was requeued. */
  readonly requeuedAs?: number;
}

export interface ListDeadLettersInput {
  /** The `cursorDeliverySeq` of the page before. */
  readonly afterDeliverySeq?: number;
  readonly limit?: number;
}

/** A page of them, oldest first. */
export interface DeadLetters {
  readonly deadLetters: readonly DeadLetter[];
  readonly hasMore: boolean;
  readonly cursorDeliverySeq: number;
}

export const deadLetters = operation({
  name: "dead_letters",
  summary: "Lists your messages that could not be delivered, or puts one of them back into your mailbox.",
  needs: { store: "change", caller: "known", room: "none" },
  input: {
    requeue: optional(idOf("message", "a message_id")),
    after: optional(integer(null, "cursor_delivery_seq of the page before")),
  },
  refusals: ["invalid_cursor", "message_not_found"],
  mcp: "gateway",
  async run({ deps, caller }, { requeue: again, after }): Promise<DeadLetters | Requeued | Refusal<DeadLetterRefusal>> {
    if (again !== undefined) return requeueDeadLetter(deps, caller, { messageId: again });
    return listDeadLetters(deps, caller, after === undefined ? {} : { afterDeliverySeq: after });
  },
});

type DeadLetterRefusal = "invalid_input" | "ambiguous_id" | "invalid_cursor" | "message_not_found";

export async function listDeadLetters(
  deps: Deps,
  caller: Caller,
  input: ListDeadLettersInput = {},
): Promise<DeadLetters | Refusal<"invalid_input" | "invalid_cursor">> {
  const most = LIMITS.deadLettersPerRead;
  const limit = decodeInteger("limit", input.limit ?? most, { min: 1, max: most });
  if (isRefusal(limit)) return limit;
  const seq = decodeInteger("after", input.afterDeliverySeq ?? 0, { min: 0, max: Number.MAX_SAFE_INTEGER });
  if (isRefusal(seq)) return seq;
  const found: DeadLetter[] = [];
  // One more than is shown tells whether there are more. Pages hold what is in flight, too, and may have none at all.
  for (let after = seq; found.length <= limit; ) {
    const page = await deadLettersIn(deps, caller, { kind: "dead_letters", limit: most, after });
    found.push(...page.deadLetters);
    if (page.last === null) break;
    after = page.last;
  }
  const ahead = found.length === 0 ? await refuseAhead(deps, caller, seq) : null;
  if (ahead) return ahead;
  const shown = found.slice(0, limit);
  const cursorDeliverySeq = shown.at(-1)?.deliverySeq ?? seq;
  return { deadLetters: shown, hasMore: found.length > limit, cursorDeliverySeq };
}

/** One of them, however many there are. */
export async function findDeadLetter(
  deps: Deps,
  caller: Caller,
  messageId: string,
): Promise<DeadLetter | Refusal<"ambiguous_id"> | null> {
  const whole = await wholeId(deps, "message", asEventId(messageId));
  if (isRefusal(whole)) return whole;
  const look: MailWindow = { kind: "messages", ids: [whole] };
  return (await deadLettersIn(deps, caller, look)).deadLetters.at(-1) ?? null;
}

/** How many there are that are neither purged nor requeued; of very many, the first page. */
export async function countDeadLetters(deps: Deps, caller: Caller): Promise<number> {
  const look: MailWindow = { kind: "dead_letters", limit: LIMITS.deadLettersPerRead };
  const { dead, requeued } = await deadDeliveriesIn(deps, caller, look);
  return dead.filter(({ seq }) => !requeued.has(seq)).length;
}

async function deadLettersIn(
  deps: Deps,
  caller: Caller,
  look: MailWindow,
): Promise<{ readonly deadLetters: readonly DeadLetter[]; readonly last: number | null }> {
  const { dead, requeued, last, moment } = await deadDeliveriesIn(deps, caller, look);
  const messages = new Map((await withBodies(deps, dead)).map((message) => [message.deliverySeq, message]));
  return {
    deadLetters: dead.flatMap((delivery) => {
      const message = messages.get(delivery.seq);
      const { to, attempts } = statusOf(delivery, moment);
      const end = { reason: delivery.reason ?? "", failedAt: delivery.endedAt ?? "" };
      const requeuedAs = requeued.get(delivery.seq);
      const again = requeuedAs === undefined ? {} : { requeuedAs };
      return message ? [{ ...message, to, attempts, ...end, ...again }] : [];
    }),
    last,
  };
}

async function deadDeliveriesIn(deps: Deps, caller: Caller, look: MailWindow) {
  const { window, moment } = await deps.store.readMailbox(caller.agentId, look);
  const dead = window.deliveries
    .map((delivery) => settled(delivery, moment))
    .filter(({ state, purged }) => state === "dead_letter" && !purged);
  const requeued = dead.length === 0 ? new Map<number, number>() : await requeuedAmong(deps, caller, dead);
  return { dead, requeued, last: window.deliveries.at(-1)?.seq ?? null, moment };
}

/** The numbers of those that were requeued, each with that of its new delivery. */
async function requeuedAmong(
  { store }: Deps,
  caller: Caller,
  dead: readonly Delivery[],
): Promise<ReadonlyMap<number, number>> {
  const ids = [...new Set(dead.map(({ messageId }) => messageId))];
  const { window } = await store.readMailbox(caller.agentId, { kind: "messages", ids });
  return new Map(
    window.deliveries.flatMap(({ requeuedFrom, seq }) => (requeuedFrom === null ? [] : [[requeuedFrom, seq]])),
  );
}

/** The dead letter stays as it is; its message gets a new delivery. */
export async function requeueDeadLetter(
  deps: Deps,
  caller: Caller,
  input: { readonly messageId: string },
): Promise<Requeued | Refusal<"invalid_input" | "ambiguous_id" | "message_not_found">> {
  const messageId = decodeId("message_id", input.messageId);
  if (isRefusal(messageId)) return messageId;
  const eventId = await wholeId(deps, "message", asEventId(messageId));
  if (isRefusal(eventId)) return eventId;
  const ttlMs = await timeToLive(deps, eventId);
  const requeued = await changeMailbox(
    deps,
    caller,
    { kind: "messages", ids: [eventId] },
    (window, given, { freeSeq }) => requeue(window, given, { messageId: eventId, seq: freeSeq, ttlMs }),
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
