/**
 * One wake for each batch of unread mail.
 *
 * A batch is what is unread at a time. Whoever wakes claims it first by moving `wokenSeq` to the newest delivery of the
 * batch, in one transaction; as long as anything up to there is unread, nobody claims again, and new mail joins the
 * batch. Who then finds that nothing could be done gives the claim back.
 */
import { LIMITS } from "../limits.ts";
import { type Delivery, settled } from "../mail/delivery.ts";
import { beginMail, withBox } from "../mail/mail-change.ts";
import type { MailboxWindow, MailDecision } from "../mail/take.ts";
import type { Moment } from "../time.ts";
import type { WakeOutcome, WakeStatus } from "./wake-status.ts";

/** What is wanted of a mailbox to judge its batch. */
export const BATCH_WINDOW = { kind: "live", limit: LIMITS.deliveriesPerPage } as const;

export interface Claim {
  readonly seq: number;
  /** Where `wokenSeq` was before. */
  readonly before: number;
  /** Whose mail it is about. */
  readonly senders: readonly Delivery["from"][];
}

/** How a delivery stands: open for a claim, read, or told of by an attempt; then what came of that. */
export type Standing = "open" | "read" | WakeStatus;

export function standingOf(window: MailboxWindow, moment: Moment, seq: number): Standing {
  const unread = unreadIn(window, moment);
  const { wokenSeq, wakeOutcome } = window.box;
  const isBeyondSight = window.deliveries.length >= BATCH_WINDOW.limit && (unread.at(-1)?.seq ?? 0) < seq;
  if (!unread.some((delivery) => delivery.seq === seq) && !isBeyondSight) return "read";
  if (unread.every((delivery) => delivery.seq > wokenSeq)) return "open";
  return seq <= wokenSeq && wakeOutcome === "fired" ? "fired" : "fired_unconfirmed";
}

/** Claims the batch of a delivery, or says why that is not possible. */
export function claimBatch(window: MailboxWindow, moment: Moment, seq: number): MailDecision<Claim | Standing> {
  const { box } = window;
  const mail = beginMail(new Map([[box.agentId, box]]));
  const standing = standingOf(window, moment, seq);
  if (standing !== "open") return { mail, answer: standing };
  const unread = unreadIn(window, moment);
  const claimed = Math.max(seq, ...unread.map((delivery) => delivery.seq));
  const senders = [...new Set(unread.map(({ from }) => from))];
  return {
    mail: withBox(mail, { ...box, wokenSeq: claimed, wakeOutcome: "trying" }),
    answer: { seq: claimed, before: box.wokenSeq, senders },
  };
}

/** Writes down what came of a claim, unless there has been another one since. */
export function endClaim({ box }: MailboxWindow, claim: Claim, outcome: WakeOutcome): MailDecision<boolean> {
  const mail = beginMail(new Map([[box.agentId, box]]));
  if (box.wokenSeq !== claim.seq || box.wakeOutcome !== "trying") return { mail, answer: false };
  const wokenSeq = outcome === "failed" ? claim.before : claim.seq;
  return { mail: withBox(mail, { ...box, wokenSeq, wakeOutcome: outcome }), answer: true };
}

/** The newest delivery of a batch that somebody wishes its owner to be woken for, and that is open; otherwise null. */
export function openWish(window: MailboxWindow, moment: Moment): number | null {
  const { wakeWantedSeq, wokenSeq } = window.box;
  const unread = unreadIn(window, moment);
  const newest = unread.at(-1);
  const isWished = unread.some(({ seq }) => seq <= wakeWantedSeq) && wakeWantedSeq > wokenSeq;
  return newest && isWished && standingOf(window, moment, newest.seq) === "open" ? newest.seq : null;
}

/** What a door is showing right now is as good as read. */
function unreadIn({ deliveries }: MailboxWindow, moment: Moment): readonly Delivery[] {
  return deliveries.filter((delivery) => settled(delivery, moment).state === "pending");
}
