/**
 * One wake for each batch of unread mail.
 *
 * A batch is what is unread at a time. A waker claims it first by moving `wokenSeq` to the newest delivery of the
 * batch, in one transaction; as long as anything up to there is unread, nobody claims again, and new mail joins the
 * batch. A waker that can do nothing gives the claim back.
 *
 *   claimed: trying ──right before what cannot be taken back──▶ acting ──▶ fired_unconfirmed ──sign of life──▶ fired
 *               │                                                  └──────────────┤
 *               └── given back, or lapsed with its time or its process            └── lapsed with its time
 *                             ▼                                                             ▼
 *                           open                                                  open for the next request
 *
 * A wake that nothing confirms may have been lost, so its claim keeps others from waking only for its time. Then the next
 * message, or the same one sent again, wakes once more. The old request alone does not: an inbox that takes wakes and
 * shows none would be filled with them.
 *
 * That a stick was passed is news of its own: it opens the batch again, whatever its owner was woken for before.
 */

import { LIMITS } from "../../core/limits.ts";
import type { Delivery, StoredMailbox, WakeClaim, WakeOutcome } from "../../core/mail-records.ts";
import { type ProcessRef, processKey } from "../../core/process.ts";
import { after, hasPassed, type Instant, type Moment } from "../../core/time.ts";
import { settled, wasShownBefore } from "./delivery.ts";
import { beginMail, withBox } from "./mail-change.ts";
import type { MailboxWindow, MailDecision } from "./take.ts";
import type { WakeStatus } from "./wake-status.ts";

/** What is wanted of a mailbox to judge its batch. */
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

/** How a delivery stands: open for a claim, read, or told of by an attempt; then what came of that. */
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

/** Says that what follows cannot be taken back. False when the claim has become another's: then nothing may follow. */
export function beginAct({ box }: MailboxWindow, claim: Claim): MailDecision<boolean> {
  const mail = beginMail(new Map([[box.agentId, box]]));
  if (!isHeld(box, claim)) return { mail, answer: false };
  return { mail: withBox(mail, { ...box, wakeOutcome: "acting" }), answer: true };
}

/** Writes down what came of a claim, unless there has been another one since. Until it is confirmed, it has a time. */
export function endClaim({ box }: MailboxWindow, claim: Claim, outcome: EndOfClaim): MailDecision<boolean> {
  const mail = beginMail(new Map([[box.agentId, box]]));
  if (!isHeld(box, claim)) return { mail, answer: false };
  const wokenSeq = outcome === "failed" ? claim.before : claim.seq;
  const wakeClaim = outcome === "fired_unconfirmed" ? box.wakeClaim : null;
  return { mail: withBox(mail, { ...box, wokenSeq, wakeOutcome: outcome, wakeClaim }), answer: true };
}

export type EndOfClaim = Extract<WakeOutcome, "fired" | "fired_unconfirmed" | "failed">;

/** When the claim of a wake that was sent was made; null when nothing was sent, or its recipient was seen since. */
export function unconfirmedSince({ wakeOutcome, wakeClaim }: StoredMailbox): Instant | null {
  const isSent = wakeOutcome === "acting" || wakeOutcome === "fired_unconfirmed";
  return isSent && wakeClaim ? after(wakeClaim.until, -CLAIM_MS) : null;
}

/**
 * For news of its own, in the transaction that brings it. A waker that was about to wake for older mail begins again. One
 * that is acting at this moment wakes for both, because the mail is not read yet; two at once would disturb each other.
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

/** Up to where its owner was woken, or is about to be. A claim that has lapsed is as if it had not been. */
function wokenIn(sight: BatchSight): number {
  const { wokenSeq, wakeOutcome, wakeClaim } = sight.window.box;
  if (wakeOutcome === "trying") return servedIn(sight);
  if (wakeOutcome !== "acting" && wakeOutcome !== "fired_unconfirmed") return wokenSeq;
  return wakeClaim && !hasPassed(wakeClaim.until, sight.moment.instant) ? wokenSeq : (wakeClaim?.before ?? 0);
}

/** Up to where requested wakes were done, or are about to be. */
function servedIn({ window: { box }, moment, isGone }: BatchSight): number {
  const { wokenSeq, wakeOutcome, wakeClaim } = box;
  if (wakeOutcome !== "trying" || !wakeClaim) return wokenSeq;
  const hasLapsed = hasPassed(wakeClaim.until, moment.instant) || isGone(wakeClaim.process);
  return hasLapsed ? wakeClaim.before : wokenSeq;
}

/** One process may claim again after a claim of its own has lapsed, so its name alone would not do. */
function isHeld({ wokenSeq, wakeClaim }: StoredMailbox, { seq, process, until }: Claim): boolean {
  if (wokenSeq !== seq || !wakeClaim) return false;
  const isSameTime = wakeClaim.until.epoch === until.epoch && wakeClaim.until.ms === until.ms;
  return isSameTime && processKey(wakeClaim.process) === processKey(process);
}

/** What a door is showing right now is as good as read. What a person stopped an agent from reading wakes nobody. */
function unreadIn({ window: { deliveries }, moment }: BatchSight): readonly Delivery[] {
  return deliveries.filter((delivery) => settled(delivery, moment).state === "pending" && !wasShownBefore(delivery));
}
