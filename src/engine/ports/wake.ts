/** The ways to wake a session of this machine from outside, whichever harness it runs in. */

import type { RoomId } from "../../core/ids.ts";
import type { Sent } from "../../core/mail-records.ts";
import type { WakeMode, WakeTry } from "../../mail/rules/wake-status.ts";
import type { Caller } from "../../session/rules/decision-input.ts";
import type { Activity } from "../../session/rules/session.ts";
import type { Whereabouts } from "./peer-sights.ts";

export interface WakeTarget extends Whereabouts {
  readonly activity: Activity;
}

export interface Waking {
  readonly mode: WakeMode;
  /** Whether its harness has an inbox that this process may use. Looks, and does nothing. */
  hasInbox(target: WakeTarget): boolean | Promise<boolean>;
  /** Puts the text into that inbox. Never rejects; it has ended when the time is over. */
  push(target: WakeTarget, wake: { readonly text: string; readonly forMs: number }): Promise<WakeTry>;
  /** What speaks against keys in its terminal now; null when nothing does. Types nothing. */
  obstacle(target: WakeTarget, forMs: number): Promise<WakeTry | null>;
  /** Looks once more, and types the wake into its terminal, but only if `mayAct` agrees right before. */
  type(target: WakeTarget, forMs: number, mayAct: () => Promise<boolean>): Promise<WakeTry>;
}

export interface SentMessage {
  readonly sender: Caller;
  readonly sent: Sent;
  readonly roomId: RoomId;
  /** How long the sender waits for the result; nothing is begun after that. */
  readonly forMs?: number;
}

/** The inbox of the very session that this process belongs to. */
export interface OwnInbox {
  /** Whose inbox it is: what it is told must be about a session of that harness. */
  readonly harness: string;
  /** As `Waking.push`. */
  push(text: string, forMs: number): Promise<WakeTry>;
}
