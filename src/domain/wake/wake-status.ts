/** The words for what became of the wish to wake somebody. */

/** `auto`: every proven way; `native`: only what harnesses offer themselves, no keys in terminals. */
export const WAKE_MODES = ["auto", "native", "off"] as const;
export type WakeMode = (typeof WAKE_MODES)[number];

/**
 * `receiver_live`: it is receiving, or has taken the message by itself. `fired`: its harness took the wake.
 * `fired_unconfirmed`: somebody tried, and nothing proves that it arrived; or it was woken for older mail, which it has
 * not read yet. What is skipped was not tried at all.
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

/**
 * What a mailbox remembers of the newest attempt. While somebody is `trying` nothing has happened yet, and from `acting`
 * on that is not certain any more. After `failed` nothing had happened, and others may try.
 */
export const WAKE_OUTCOMES = ["trying", "acting", "fired", "fired_unconfirmed", "failed"] as const;
export type WakeOutcome = (typeof WAKE_OUTCOMES)[number];

/** What one rung of the ladder came to: it acted, it certainly did not, or it saw a reason not to try. */
export type WakeTry = "fired" | "unconfirmed" | "failed" | "busy" | "draft" | "dialog" | "no_target";

/** All that a wake ever says. Typed into a terminal it must be no command there, and it carries nobody's words. */
export const WAKE_TEXT = "You have mail in the talking stick room: read it with read_my_messages.";
