/**
 * Mail that a hook has shown. That a hook printed a message does not prove that the model saw it: a harness drops the
 * hook's text if its user presses Esc or rejects a tool, or if a request fails. So what the harness next tells about
 * the turn settles a shown message.
 *
 *   the model went on, in the same turn   ──▶ acked
 *   the turn broke off, or another began  ──▶ given back, and shown again
 *   anything else                         ──▶ still shown
 */
import type { Delivery, MailChange } from "../../core/mail-records.ts";
import type { Given } from "../../session/rules/decision-input.ts";
import { type AnswerFor, answerEach } from "./acknowledge.ts";
import { acked, givenBack, isLive, isShown, shown } from "./delivery.ts";
import { boxOf, withBox, withDelivery } from "./mail-change.ts";
import { type MailboxWindow, type MailDecision, settleMail, type TakeMail, type TakenMail, takeMail } from "./take.ts";

/**
 * What a hook tells of the turn that it belongs to.
 *   went_on    an event of an answer that the model gave after it had read what was shown
 *   prompted   a prompt: it begins a turn, unless it has the name of the turn that goes on
 *   broke_off  the turn ended without an answer, or the session began or ended
 *   no_sign    nothing
 */
export type TurnEvent = "went_on" | "prompted" | "broke_off" | "no_sign";

export interface TurnSign {
  readonly event: TurnEvent;
  /** The harness's name for the turn; null where it has none. */
  readonly turn: string | null;
  /**
   * Some harnesses tell what the model reads only by a text. For a prompt this is the text of the prompt, for an answer
   * the conversation up to it. A shown message that is not in the text was thrown away.
   */
  readonly quotes?: string;
}

export interface Showing {
  readonly sign: TurnSign;
  readonly take: TakeMail;
}

export interface Shown extends TakenMail {
  /** How many messages the model has gone on with. */
  readonly seen: number;
  /** How many come again because their turn broke off. */
  readonly returned: number;
}

/** Settles what was shown before, then takes what this hook shows. `window` has all shown deliveries. */
export function showMail(window: MailboxWindow, given: Given, { sign, take }: Showing): MailDecision<Shown> {
  const { mail: timely, live, interrupts, someEnded } = settleMail(window, given);
  let mail = timely;
  const counts = { seen: 0, returned: 0 };
  const deliveries = live.map((delivery) => {
    const now = settledBy(sign, delivery, given);
    mail = withDelivery(mail, delivery, now);
    if (now.state === "acked") counts.seen += 1;
    else if (now !== delivery) counts.returned += 1;
    return now;
  });
  const unread = deliveries.filter((delivery) => delivery.state !== "acked");
  const stillLive = interrupts.map((one) => mail.deliveries.get(one.seq) ?? one).filter(isLive);
  // Only the newest interrupt of a sender is loaded. Where it has ended, an older one may still be live.
  const again = someEnded || stillLive.length < interrupts.length;
  const left = { ...window, box: boxOf(mail, window.box.agentId), deliveries: unread, interrupts: stillLive };
  const taken = takeMail(left, given, again ? { ...take, limit: 0 } : take);
  return { mail: combined(mail, taken.mail), answer: { ...taken.answer, ...counts, again } };
}

function settledBy(sign: TurnSign, delivery: Delivery, { moment }: Given): Delivery {
  if (!isShown(delivery)) return delivery;
  const fate = fateOf(sign, { turn: delivery.attempts.at(-1)?.shownIn ?? null, quote: delivery.messageId });
  if (fate === "seen") return acked(delivery, moment);
  return fate === "thrown_away" ? givenBack(delivery) : delivery;
}

/** What became of a text that was shown in a turn. `quote` is a part that occurs in this text and in no other. */
export function fateOf(
  { event, turn, quotes }: TurnSign,
  text: { readonly turn: string | null; readonly quote: string },
): "seen" | "thrown_away" | "unsettled" {
  if (event === "no_sign") return "unsettled";
  const isSameTurn = turn === text.turn;
  const isQuoted = quotes?.includes(text.quote);
  if (event === "went_on" && isSameTurn && isQuoted !== false) return "seen";
  // A prompt without a turn's name begins a turn. Only a name shows that it was typed into a running turn.
  if (event === "prompted" && isSameTurn && turn !== null) return "unsettled";
  return event === "prompted" && isQuoted ? "unsettled" : "thrown_away";
}

function combined(first: MailChange, second: MailChange): MailChange {
  return {
    boxes: second.boxes,
    deliveries: new Map([...first.deliveries, ...second.deliveries]),
    asks: second.asks,
    sent: second.sent,
  };
}

/** The hook's output has left the process. `announcedSeq`: its text tells of all mail up to this number. */
export function markShown(
  window: MailboxWindow,
  given: Given,
  {
    answers,
    turn,
    announcedSeq,
  }: {
    readonly answers: readonly AnswerFor[];
    readonly turn: string | null;
    readonly announcedSeq: number;
  },
): MailDecision<null> {
  const { mail } = answerEach(window, given, answers, "in_flight", (delivery) => shown(delivery, turn));
  const box = boxOf(mail, window.box.agentId);
  return { mail: announcedSeq > box.announcedSeq ? withBox(mail, { ...box, announcedSeq }) : mail, answer: null };
}
