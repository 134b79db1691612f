/** Which deliveries bring a reply to somebody who has stopped waiting for it. */

import type { EventId } from "../core/ids.ts";
import type { Ask, Delivery } from "../core/mail-records.ts";
import type { Deps } from "../engine/deps.ts";
import { isLateFor, isTakenByAsk } from "./rules/ask.ts";
import type { Message } from "./rules/message.ts";

/** By their numbers. `waiting` are the asks that may still take their reply. */
export async function lateReplies(
  { store }: Deps,
  said: readonly Message[],
  deliveries: readonly Delivery[],
  waiting: readonly Ask[],
): Promise<ReadonlySet<number>> {
  const answering = new Set(said.filter(answersQuestion).map(({ eventId }) => eventId));
  const replies = deliveries.filter((delivery) => answering.has(delivery.messageId) && !isTakenByAsk(delivery));
  if (replies.length === 0) return new Set();
  const awaited = new Set(waiting.map(({ requestId }) => requestId));
  const ids = new Set(replies.map(({ replyTo }) => replyTo as EventId));
  const over = (await store.readAsks([...ids])).filter(({ requestId }) => !awaited.has(requestId));
  const late = replies.filter((delivery) => over.some((ask) => isLateFor(ask, delivery)));
  return new Set(late.map(({ seq }) => seq));
}

function answersQuestion({ payload: { replyTo, requestId } }: Message): boolean {
  return replyTo !== undefined && replyTo === requestId;
}
