/**
 * One wake for each batch of unread mail.
 *
 * A batch is what is unread at a time. Whoever wakes claims it first by moving `wokenSeq` to the newest delivery of the
 * batch, in one transaction; as long as anything up to there is unread, nobody claims again, and new mail joins the
 * batch. Who then finds that nothing could be done gives the claim back.
 */
import { LIMITS } from "../limits.ts";
import { type Delivery, isLive, settled } from "../mail/delivery.ts";
import { beginMail, withBox } from "../mail/mail-change.ts";
import type { Mailbox } from "../mail/mailbox.ts";
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
  const live = liveIn(window, moment);
  const { wokenSeq, wakeOutcome } = window.box;
  const isBeyondSight = window.deliveries.length >= BATCH_WINDOW.limit && (live.at(-1)?.seq ?? 0) < seq;
  if (!live.some((delivery) => delivery.seq === seq) && !isBeyondSight) return "read";
  if (live.every((delivery) => delivery.seq > wokenSeq)) return "open";
  return seq <= wokenSeq && wakeOutcome === "fired" ? "fired" : "fired_unconfirmed";
}

/** Claims the batch of a delivery, or says why that is not possible. */
export function claimBatch(window: MailboxWindow, moment: Moment, seq: number): MailDecision<Claim | Standing> {
  const { box } = window;
  const mail = beginMail(new Map([[box.agentId, box]]));
  const standing = standingOf(window, moment, seq);
  if (standing !== "open") return { mail, answer: standing };
  const live = liveIn(window, moment);
  const claimed = Math.max(seq, ...live.map((delivery) => delivery.seq));
  const senders = [...new Set(live.map(({ from }) => from))];
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

/** Somebody wishes its owner to be woken, and nobody has claimed that yet. */
export function wantsWake({ wakeWantedSeq, wokenSeq }: Mailbox): boolean {
  return wakeWantedSeq > wokenSeq;
}

function liveIn({ deliveries }: MailboxWindow, moment: Moment): readonly Delivery[] {
  return deliveries.filter((delivery) => isLive(settled(delivery, moment)));
}
