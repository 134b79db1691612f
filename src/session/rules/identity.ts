/** Who a caller is, how that was found out, and what every piece of evidence said. */

import type { Next } from "../../core/next.ts";
import type { ProcessRef } from "../../core/process.ts";
import type { Refusal } from "../../core/refusal.ts";
import type { Caller } from "./decision-input.ts";
import type { SessionFacts } from "./session.ts";

/** One strategy per kind of evidence, strongest first for a process that lives shortly. */
export const STRATEGIES = [
  "explicit",
  "hook",
  "call",
  "environment",
  "session_file",
  "session_card",
  "sticky_claim",
  "ancestry",
  "person",
  "session_leader",
] as const;

/** By these a harness itself names its session. */
export const TOLD_BY_HARNESS: readonly StrategyName[] = ["hook", "call", "environment", "session_file", "session_card"];

export type StrategyName = (typeof STRATEGIES)[number];

export interface Identity extends Omit<Caller, "facts"> {
  readonly idSource: StrategyName;
  /** False for a provisional id, which is merged into the session's own once that is known. */
  readonly verified: boolean;
}

export interface StrategyOutcome {
  readonly name: StrategyName;
  readonly outcome: "hit" | "abstain";
  readonly reason: string;
}

/** The process that cards and claims are kept for; `harness` is null for a terminal without one. */
export interface Anchor {
  readonly process: ProcessRef;
  readonly harness: string | null;
}

/** Why the caller is unknown, or why it may not use the name that it gave. */
export type IdentityRefusal = Refusal<"agent_id_required" | "not_authorized" | "invalid_input">;

export interface Identification {
  readonly identity: Identity | IdentityRefusal;
  readonly strategies: readonly StrategyOutcome[];
  /** What an explicit claim would be bound to; null where a claim could join two sessions. */
  readonly anchor: Anchor | null;
  /** The session as its harness itself names it; null where it does not. */
  readonly told: Identity | null;
  readonly next?: Next;
  /** What else was found out about the session. */
  readonly facts?: Omit<SessionFacts, "idSource">;
}

export function callerOf(identity: Identity, facts?: Identification["facts"]): Caller {
  const { idSource, verified: _, ...caller } = identity;
  return facts ? { ...caller, facts: { idSource, ...facts } } : caller;
}
