/** The words for what became of a wake that a sender asked for. */
import type { DeliveryReceipt } from "../../core/mail-records.ts";
import { wallTime } from "../../core/time.ts";

/** `auto`: every proven way; `native`: only what harnesses offer themselves, no keys in terminals. */
export const WAKE_MODES = ["auto", "native", "off"] as const;
export type WakeMode = (typeof WAKE_MODES)[number];

/**
 * `receiver_live`: it is receiving, or has taken the message by itself. `fired`: a wake was sent, and the recipient has
 * shown a sign of life since. `fired_unconfirmed`: a wake was sent, and nothing was seen of the recipient yet; or it was
 * woken for older mail, which it has not read yet. What is skipped was not tried at all.
 */
export type WakeStatus =
  | "receiver_live"
  | "fired"
  | "fired_unconfirmed"
  | "skipped_busy"
  | "skipped_draft"
  | "skipped_dialog"
  | "skipped_no_target"
  | "disabled";

export interface WokenReceipt extends DeliveryReceipt {
  readonly wakeStatus: WakeStatus;
}

/** For a recipient that nobody tries to wake. */
export function unwoken(receipt: DeliveryReceipt): WokenReceipt {
  return { ...receipt, wakeStatus: receipt.willBeSeen === "now" ? "receiver_live" : "skipped_no_target" };
}

/** What one rung of the ladder came to: a wake was sent, certainly nothing happened, or it saw a reason not to try. */
export type WakeTry = "sent" | "failed" | "busy" | "draft" | "dialog" | "no_target";

/** What a wake says in a terminal. It must be no command there, and it carries nobody's words. */
export const WAKE_TEXT = "You have mail in the talking stick room: read it with read_my_messages.";

/**
 * What a wake says in an inbox. It carries nobody's words either. No two are the same, because an inbox may drop a text
 * that it was given just before: after a second at the latest, the same mail is woken for at another time.
 */
export function wakeTextFor({ count, seq }: { readonly count: number; readonly seq: number }, wallMs: number): string {
  const time = wallTime(wallMs).slice(11, 19);
  const [mail, newest, them] =
    count === 1 ? ["a message", "number", "it"] : [`${count} messages`, "the newest is number", "them"];
  return `You have ${mail} in the talking stick room (${newest} ${seq}, ${time} UTC): read ${them} with read_my_messages.`;
}
