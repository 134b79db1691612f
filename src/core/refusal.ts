/**
 * Refusals: the closed list of expected "no"s.
 *
 * A refusal is a value, not an exception. It carries a sentence, the facts that led to it, and what the caller may do
 * `next`. Faults of the world are thrown (core/fault.ts); bugs are invariants.
 */
import type { Next } from "./next.ts";
import { shortened } from "./visible.ts";

export const REFUSAL_CODES = [
  "room_not_found",
  "room_closed",
  "unknown_member",
  "unknown_target",
  "unknown_recipient",
  "ambiguous_recipient",
  "ambiguous_id",
  "recipient_unreachable",
  "cross_project",
  "self_send",
  "target_active",
  "cannot_kick_self",
  "invalid_handoff",
  "invalid_input",
  "invalid_path",
  "invalid_body",
  "invalid_turn_id",
  "invalid_cursor",
  "invalid_delivery_hint",
  "invalid_event_type_filter",
  "agent_id_required",
  "stale_lease",
  "turn_mismatch",
  "takeover_not_available",
  "takeover_ineligible",
  "body_too_large",
  "message_too_large",
  "handoff_too_large",
  "message_not_found",
  "not_your_message",
  "msg_id_conflict",
  "attempt_stale",
  "rate_limited",
  "hops_exhausted",
  "would_deadlock",
  "observer_cannot_hold_turn",
  "session_ended",
  "not_authorized",
  "no_snapshot",
  "newer_changes",
  "room_paused",
] as const;

export type RefusalCode = (typeof REFUSAL_CODES)[number];

export type Fact =
  | string
  | number
  | boolean
  | null
  | readonly string[]
  | readonly Readonly<Record<string, string>>[]
  | EndFacts;

/** How a turn ended (stick/rules/turn-end.ts), in the names of the wire. */
export interface EndFacts {
  readonly how: string;
  readonly turn_id: number | null;
  readonly by: string | null;
  readonly at: string;
  readonly reason: string | null;
  readonly event_seq: number;
  readonly event_id: string;
  readonly ground?: string;
  readonly policy_changes?: readonly {
    readonly by: string | null;
    readonly at: string;
    readonly changes: Readonly<Record<string, number>>;
  }[];
}

export interface Refusal<Code extends RefusalCode = RefusalCode> {
  readonly error: Code;
  readonly message: string;
  readonly next: Next;
  readonly facts: Readonly<Record<string, Fact>>;
}

export function refuse<Code extends RefusalCode>(
  error: Code,
  message: string,
  next: Next,
  facts: Readonly<Record<string, Fact>> = {},
): Refusal<Code> {
  const refusal = { error, message, next, facts };
  madeHere.add(refusal);
  return refusal;
}

const madeHere = new WeakSet<object>();

/** For values that may come from outside, which can look like a refusal. */
export function isOwnRefusal(value: unknown): value is Refusal {
  return typeof value === "object" && value !== null && madeHere.has(value);
}

export function isRefusal(value: unknown): value is Refusal {
  return typeof value === "object" && value !== null && "error" in value && "next" in value && "facts" in value;
}

export function invalidInput(field: string, message: string, next: Next): Refusal<"invalid_input"> {
  return refuse("invalid_input", message, next, { field: shortened(field) });
}
