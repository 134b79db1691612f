/**
 * Taking mail out of a mailbox: which deliveries a door gets now, and in which order.
 *
 * Each sender's mail is a lane, first in, first out. A delivery in flight or backing off holds back its own lane and no
 * other. So does a reply that a waiting ask will take, because the ask takes it at once. Lanes interleave by commit. An
 * interrupt brings its lane to the front, together with everything older of that sender. Whole messages only: what does
 * not fit the budget stays pending.
 */

import type { AgentId, EventId } from "../../core/ids.ts";
import type { Ask, Delivery, MailChange, StoredMailbox } from "../../core/mail-records.ts";
import { type Deadline, hasPassed } from "../../core/time.ts";
import type { Given } from "../../session/rules/decision-input.ts";
import { isReplyTo, isWaitedFor } from "./ask.ts";
import { isLive, isReady, isShown, settled, taken } from "./delivery.ts";
import { beginMail, boxOf, withAsk, withDelivery } from "./mail-change.ts";
import { unread } from "./mailbox.ts";

/** What a decision about one mailbox may look at. */
export interface MailboxWindow {
  readonly box: StoredMailbox;
  /** The oldest live deliveries of each sender, or those that were asked for by name; ascending. */
  readonly deliveries: readonly Delivery[];
  /** The newest live interrupt of each sender, wherever it is in the sender's mail. */
  readonly interrupts: readonly Delivery[];
  /** The owner's own asks that have not ended, unless one was asked for by name. */
  readonly asks: readonly Ask[];
}

export interface TakeMail {
  readonly limit: number;
  readonly maxBytes: number;
  /** At most one message of each sender, so that a nack can still put it back in its place. */
  readonly onePerSender: boolean;
  readonly from: AgentId | null;
  readonly transport: string;
  /** Only deliveries with these numbers. Any other delivery holds back its lane. */
  readonly among?: ReadonlySet<number>;
}

export interface TakenMail {
  readonly deliveries: readonly Delivery[];
  /** How much live mail is left in the mailbox. */
  readonly remaining: number;
  /**
   * Whether some of it could be taken at once. If the caller named one sender, the mail of the others counts as ready.
   */
  readonly moreIsReady: boolean;
  /** When time alone may let more be taken: a backoff, an attempt or a waiting ask ends. Infinite when nothing will. */
  readonly nextDueMs: number;
  /**
   * A reply was left to the ask that waits for it. If the ask's process dies, no deadline and no change of the store
   * tells.
   */
  readonly leavesReply: boolean;
  /** Some of what was loaded has ended, so there may be more to load. Nothing was taken yet: look again. */
  readonly again: boolean;
}

export interface MailDecision<Answer> {
  readonly mail: MailChange;
  readonly answer: Answer;
}

export interface SettledMail {
  readonly mail: MailChange;
  readonly live: readonly Delivery[];
  readonly interrupts: readonly Delivery[];
  /** Time has ended some of the loaded deliveries, so the store may have others to load in their place. */
  readonly someEnded: boolean;
}

/** Records what time has changed about the loaded deliveries. */
export function settleMail(window: MailboxWindow, given: Given): SettledMail {
  let mail = beginMail(new Map([[window.box.agentId, window.box]]));
  const now = new Map<number, Delivery>();
  for (const delivery of [...window.deliveries, ...window.interrupts]) {
    if (now.has(delivery.seq)) continue;
    const settledNow = settled(delivery, given.moment);
    mail = withDelivery(mail, delivery, settledNow);
    now.set(delivery.seq, settledNow);
  }
  const liveOf = (some: readonly Delivery[]) => some.map(({ seq }) => now.get(seq) as Delivery).filter(isLive);
  const live = liveOf(window.deliveries);
  const interrupts = liveOf(window.interrupts);
  const someEnded = live.length < window.deliveries.length || interrupts.length < window.interrupts.length;
  return { mail, live, interrupts, someEnded };
}

export function takeMail(window: MailboxWindow, given: Given, command: TakeMail): MailDecision<TakenMail> {
  const { mail: settledMail, live, interrupts, someEnded } = settleMail(window, given);
  if (someEnded) {
    return {
      mail: settledMail,
      answer: { deliveries: [], remaining: 0, moreIsReady: false, nextDueMs: 0, leavesReply: false, again: true },
    };
  }
  const waiting = window.asks.filter((ask) => isWaitedFor(ask, given));
  const lanes = lanesOf(live, given, waiting, command);
  const ready = inOrder(lanes, interrupts);
  const chosen = withinBudget(ready, command);
  let mail = withoutDeadAsks(settledMail, window, given);
  const deliveries = chosen.map((delivery) => {
    const now = taken(delivery, given.moment, command.transport);
    mail = withDelivery(mail, delivery, now);
    return now;
  });
  const remaining = unread(boxOf(mail, window.box.agentId)) - deliveries.length;
  const moreIsReady = ready.length > chosen.length || (command.from !== null && remaining > 0);
  const leavesReply = waiting.some((ask) => live.some((delivery) => isReplyTo(ask, delivery)));
  const dueMs = nextDueMs(live, waiting, given);
  return { mail, answer: { deliveries, remaining, moreIsReady, nextDueMs: dueMs, leavesReply, again: false } };
}

/** What could be taken now: each sender's mail up to the first that is in flight, backs off, or is left to an ask. */
export function ableToGo(window: MailboxWindow, given: Given): readonly Delivery[] {
  const waiting = window.asks.filter((ask) => isWaitedFor(ask, given));
  const lanes = lanesOf(settleMail(window, given).live, given, waiting, { from: null, onePerSender: false });
  return [...lanes.values()].flat();
}

/** Uses the same moment as the take. Otherwise a delivery could become due between the two without being seen. */
function nextDueMs(live: readonly Delivery[], waiting: readonly Ask[], { moment }: Given): number {
  const deadlines = [...live.map(({ due }) => due), ...waiting.map(({ until }) => until)];
  const ahead = deadlines.filter((deadline) => deadline !== null && !hasPassed(deadline, moment.instant));
  return Math.min(Number.POSITIVE_INFINITY, ...ahead.map((deadline) => (deadline as Deadline).ms - moment.instant.ms));
}

/** Takes the reply that an ask waits for, out of its order, and ends the ask with it. */
export function takeReply(window: MailboxWindow, given: Given, requestId: EventId): MailDecision<Delivery | null> {
  const { mail, live } = settleMail(window, given);
  const ask = window.asks.find((known) => known.requestId === requestId);
  const reply = ask && live.find((delivery) => isReplyTo(ask, delivery));
  if (!ask || !reply || !isReady(reply, given.moment)) return { mail, answer: null };
  const now = taken(reply, given.moment, "ask");
  const answered: Ask = { ...ask, state: "answered", replyId: reply.messageId };
  return { mail: withAsk(withDelivery(mail, reply, now), answered), answer: now };
}

/** Asks that nobody waits for any more, because their call has died or should have ended long ago. */
function withoutDeadAsks(mail: MailChange, { asks }: MailboxWindow, given: Given): MailChange {
  return asks
    .filter((ask) => !isWaitedFor(ask, given))
    .reduce((sofar, ask) => {
      const isLate = hasPassed(ask.until, given.moment.instant);
      return withAsk(sofar, { ...ask, state: isLate ? "timed_out" : "cancelled" });
    }, mail);
}

/** Ends an ask whose reply nobody waits for. If the reply still comes, it comes like other mail. */
export function endAsk(
  mail: MailChange,
  window: MailboxWindow,
  requestId: EventId,
  state: "timed_out" | "cancelled",
): MailDecision<null> {
  const ask = window.asks.find((known) => known.requestId === requestId);
  return { mail: ask ? withAsk(mail, { ...ask, state }) : mail, answer: null };
}

/** The part of each lane that may be taken now. */
function lanesOf(
  live: readonly Delivery[],
  given: Given,
  waiting: readonly Ask[],
  { from, onePerSender, among }: Pick<TakeMail, "from" | "onePerSender" | "among">,
): ReadonlyMap<AgentId, readonly Delivery[]> {
  const lanes = new Map<AgentId, Delivery[]>();
  const blocked = new Set<AgentId>();
  for (const delivery of live) {
    const { from: sender } = delivery;
    if (isShown(delivery)) continue;
    if (blocked.has(sender) || (from !== null && sender !== from)) continue;
    const isWanted = among?.has(delivery.seq) ?? true;
    const isReadyNow = isReady(delivery, given.moment) && !waiting.some((ask) => isReplyTo(ask, delivery));
    const mayGo = isWanted && isReadyNow;
    if (mayGo) lanes.set(sender, [...(lanes.get(sender) ?? []), delivery]);
    if (!mayGo || onePerSender) blocked.add(sender);
  }
  return lanes;
}

/** A lane is urgent up to its sender's newest interrupt. */
function inOrder(
  lanes: ReadonlyMap<AgentId, readonly Delivery[]>,
  interrupts: readonly Delivery[],
): readonly Delivery[] {
  const ready = [...lanes.values()].flat();
  const urgentUpTo = new Map(interrupts.map(({ from, seq }) => [from, seq]));
  const isUrgent = ({ from, seq }: Delivery) => seq <= (urgentUpTo.get(from) ?? 0);
  return [...bySeq(ready.filter(isUrgent)), ...bySeq(ready.filter((delivery) => !isUrgent(delivery)))];
}

function bySeq(deliveries: readonly Delivery[]): readonly Delivery[] {
  return deliveries.toSorted((a, b) => a.seq - b.seq);
}

/** A message that is larger than the whole budget comes alone, because it would never come otherwise. */
function withinBudget(deliveries: readonly Delivery[], { limit, maxBytes }: TakeMail): readonly Delivery[] {
  let bytes = 0;
  const end = deliveries.findIndex((delivery, index) => {
    bytes += delivery.bodyBytes;
    return index >= limit || (index > 0 && bytes > maxBytes);
  });
  return end < 0 ? deliveries : deliveries.slice(0, end);
}
