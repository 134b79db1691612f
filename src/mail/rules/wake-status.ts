/** The outcomes of a wake that a sender asked for. */
import type { DeliveryReceipt } from "../../core/mail-records.ts";
import { wallTime } from "../../core/time.ts";

/** `auto`: every proven way; `native`: only what harnesses offer themselves, no keys in terminals. */
export const WAKE_MODES = ["auto", "native", "off"] as const;
export type WakeMode = (typeof WAKE_MODES)[number];

/**
 * `receiver_live`: it is receiving, or has taken the message by itself. `fired`: a wake was sent, and the recipient has
 * shown a sign of life since. `fired_unconfirmed`: a wake was sent, and nothing was seen of the recipient yet; or it
 * was woken for older mail, which it has not read yet. `skipped_…`: nothing was tried.
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

/**
 * The result of one rung of the ladder: a wake was sent, certainly nothing happened, or there was a reason not to try.
 */
export type WakeTry = "sent" | "failed" | "busy" | "draft" | "dialog" | "no_target";

/** The text of a wake in a terminal. A shell must not take it for a command, and it contains no words of a sender. */
export const WAKE_TEXT = "You have mail in the talking stick room: read it with read_my_messages.";

/**
 * The text of a wake in an inbox. It contains no words of a sender either. It contains the time, because an inbox may
 * drop a text that equals the one before. After a second at the latest, the text for the same mail is another one.
 */
export function wakeTextFor({ count, seq }: { readonly count: number; readonly seq: number }, wallMs: number): string {
  const time = wallTime(wallMs).slice(11, 19);
  const [mail, newest, them] =
    count === 1 ? ["a message", "number", "it"] : [`${count} messages`, "the newest is number", "them"];
  return `You have ${mail} in the talking stick room (${newest} ${seq}, ${time} UTC): read ${them} with read_my_messages.`;
}
