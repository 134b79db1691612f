/**
 * One wake for each batch of unread mail.
 *
 * A batch is the mail that is unread at a time. Before a waker acts, it claims the batch: in one transaction it moves
 * `wokenSeq` to the newest delivery of the batch. As long as any mail up to there is unread, no waker claims again, and
 * new mail joins the batch. A waker that can do nothing gives the claim back.
 *
 *   claimed: trying ──right before what cannot be taken back──▶ acting ──▶ fired_unconfirmed ──sign of life──▶ fired
 *               │                                                  └──────────────┤
 *               └── given back, or lapsed with its time or its process            └── lapsed with its time
 *                             ▼                                                             ▼
 *                           open                                                  open for the next request
 *
 * A wake that nothing confirms may have been lost, so its claim keeps others from waking only for its time. Then the
 * next message, or the same one sent again, wakes once more. The old request alone does not: an inbox that takes wakes
 * and shows none would be filled with them.
 *
 * A passed stick is separate news: it opens the batch again, whatever the owner was woken for before.
 */

import { LIMITS } from "../../core/limits.ts";
import type { Delivery, StoredMailbox, WakeClaim, WakeOutcome } from "../../core/mail-records.ts";
import { type ProcessRef, processKey } from "../../core/process.ts";
import { after, hasPassed, type Instant, type Moment } from "../../core/time.ts";
import { settled, wasShownBefore } from "./delivery.ts";
import { beginMail, withBox } from "./mail-change.ts";
import type { MailboxWindow, MailDecision } from "./take.ts";
import type { WakeStatus } from "./wake-status.ts";

/** The part of a mailbox that is read to judge its batch. */
export const BATCH_WINDOW = { kind: "live", limit: LIMITS.deliveriesPerPage } as const;

/** Longer than any attempt takes. */
const CLAIM_MS = 5000;

export interface Claim extends WakeClaim {
  readonly seq: number;
  /** How many messages it is about. */
  readonly count: number;
  /** Whose mail it is about. */
  readonly senders: readonly Delivery["from"][];
}

/** What is known when a batch is judged. */
export interface BatchSight {
  readonly window: MailboxWindow;
  readonly moment: Moment;
  /** Whether a process is proven to have ended. */
  readonly isGone: (process: ProcessRef) => boolean;
}

/** Whether a delivery is open for a claim, was read, or belongs to an attempt; then the outcome of that attempt. */
export type DeliveryStanding = "open" | "read" | WakeStatus;

export function standingOf(sight: BatchSight, seq: number): DeliveryStanding {
  const { window } = sight;
  const unread = unreadIn(sight);
  const { wakeOutcome } = window.box;
  const wokenSeq = wokenIn(sight);
  const isBeyondSight = window.deliveries.length >= BATCH_WINDOW.limit && (unread.at(-1)?.seq ?? 0) < seq;
  if (!unread.some((delivery) => delivery.seq === seq) && !isBeyondSight) return "read";
  if (unread.every((delivery) => delivery.seq > wokenSeq)) return "open";
  return seq <= wokenSeq && wakeOutcome === "fired" ? "fired" : "fired_unconfirmed";
}

/** Claims the batch of a delivery for a process, or says why that is not possible. */
export function claimBatch(
  sight: BatchSight,
  seq: number,
  process: ProcessRef,
): MailDecision<Claim | DeliveryStanding> {
  const { box } = sight.window;
  const mail = beginMail(new Map([[box.agentId, box]]));
  const standing = standingOf(sight, seq);
  if (standing !== "open") return { mail, answer: standing };
  const unread = unreadIn(sight);
  const claimed = Math.max(seq, ...unread.map((delivery) => delivery.seq));
  const senders = [...new Set(unread.map(({ from }) => from))];
  const wakeClaim = { process, until: after(sight.moment.instant, CLAIM_MS), before: wokenIn(sight) };
  return {
    mail: withBox(mail, { ...box, wokenSeq: claimed, wakeOutcome: "trying", wakeClaim }),
    answer: { seq: claimed, count: unread.length, senders, ...wakeClaim },
  };
}

/**
 * Records that the waker now does what cannot be taken back. False if another waker has the claim by now: it must not
 * act.
 */
export function beginAct({ box }: MailboxWindow, claim: Claim): MailDecision<boolean> {
  const mail = beginMail(new Map([[box.agentId, box]]));
  if (!isHeld(box, claim)) return { mail, answer: false };
  return { mail: withBox(mail, { ...box, wakeOutcome: "acting" }), answer: true };
}

/**
 * Records the outcome of a claim, unless there has been another claim since. A wake that is not confirmed keeps its
 * deadline.
 */
export function endClaim({ box }: MailboxWindow, claim: Claim, outcome: EndOfClaim): MailDecision<boolean> {
  const mail = beginMail(new Map([[box.agentId, box]]));
  if (!isHeld(box, claim)) return { mail, answer: false };
  const wokenSeq = outcome === "failed" ? claim.before : claim.seq;
  const wakeClaim = outcome === "fired_unconfirmed" ? box.wakeClaim : null;
  return { mail: withBox(mail, { ...box, wokenSeq, wakeOutcome: outcome, wakeClaim }), answer: true };
}

export type EndOfClaim = Extract<WakeOutcome, "fired" | "fired_unconfirmed" | "failed">;

/** When a wake that was sent had been claimed. Null if none was sent, or if the recipient has been seen since. */
export function unconfirmedSince({ wakeOutcome, wakeClaim }: StoredMailbox): Instant | null {
  const isSent = wakeOutcome === "acting" || wakeOutcome === "fired_unconfirmed";
  return isSent && wakeClaim ? after(wakeClaim.until, -CLAIM_MS) : null;
}

/**
 * Opens the batch again for separate news, in the transaction that brings the news. A waker that was about to wake for
 * older mail begins again. A waker that is acting at this moment wakes for both, because the mail is not read yet. Two
 * wakes at once would disturb each other.
 */
export function reopened(box: StoredMailbox, { instant }: Moment): StoredMailbox {
  const { wakeOutcome, wakeClaim } = box;
  const isBeingWoken = wakeOutcome === "acting" && wakeClaim !== null && !hasPassed(wakeClaim.until, instant);
  return isBeingWoken ? box : { ...box, wokenSeq: 0, wakeOutcome: null, wakeClaim: null };
}

/** The newest open delivery of a batch for which a sender wants the owner to be woken; otherwise null. */
export function pendingWake(sight: BatchSight): number | null {
  const { wakeWantedSeq } = sight.window.box;
  const unread = unreadIn(sight);
  const newest = unread.at(-1);
  const isWanted = unread.some(({ seq }) => seq <= wakeWantedSeq) && wakeWantedSeq > servedIn(sight);
  return newest && isWanted && standingOf(sight, newest.seq) === "open" ? newest.seq : null;
}

/** The delivery up to which the owner was woken, or is about to be. A lapsed claim does not count. */
function wokenIn(sight: BatchSight): number {
  const { wokenSeq, wakeOutcome, wakeClaim } = sight.window.box;
  if (wakeOutcome === "trying") return servedIn(sight);
  if (wakeOutcome !== "acting" && wakeOutcome !== "fired_unconfirmed") return wokenSeq;
  return wakeClaim && !hasPassed(wakeClaim.until, sight.moment.instant) ? wokenSeq : (wakeClaim?.before ?? 0);
}

/** The delivery up to which requested wakes were done, or are about to be. */
function servedIn({ window: { box }, moment, isGone }: BatchSight): number {
  const { wokenSeq, wakeOutcome, wakeClaim } = box;
  if (wakeOutcome !== "trying" || !wakeClaim) return wokenSeq;
  const hasLapsed = hasPassed(wakeClaim.until, moment.instant) || isGone(wakeClaim.process);
  return hasLapsed ? wakeClaim.before : wokenSeq;
}

/** A process may claim again after its own claim has lapsed, so comparing the process alone is not enough. */
function isHeld({ wokenSeq, wakeClaim }: StoredMailbox, { seq, process, until }: Claim): boolean {
  if (wokenSeq !== seq || !wakeClaim) return false;
  const isSameTime = wakeClaim.until.epoch === until.epoch && wakeClaim.until.ms === until.ms;
  return isSameTime && processKey(wakeClaim.process) === processKey(process);
}

/**
 * Mail that a door is showing right now counts as read. Mail that was shown in a turn which a person stopped wakes
 * nobody.
 */
function unreadIn({ window: { deliveries }, moment }: BatchSight): readonly Delivery[] {
  return deliveries.filter((delivery) => settled(delivery, moment).state === "pending" && !wasShownBefore(delivery));
}
