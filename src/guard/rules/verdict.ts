/**
 * What becomes of a tool of an agent that does not hold the stick.
 *
 *   allow   the tool runs, and nobody hears of it
 *   tell    the tool runs, and the agent is told once a turn that it should hold the stick
 *   refuse  the tool does not run, and the agent reads why and what to do
 *
 * A closed room guards nothing: nobody can take its stick.
 */
import type { GuardMode } from "../../core/policy.ts";
import type { Effect } from "./shell/finding.ts";

/** The stick, as a caller sees it that does not hold it. */
export type StickSight =
  /** Another agent holds it, and nothing shows that it is gone. */
  | "held"
  /** Another agent holds it, but it is gone or its lease has expired: anyone may take over. */
  | "abandoned"
  /** Reserved for another agent. */
  | "reserved"
  /** A person has paused the room, and no live agent holds the stick. */
  | "paused"
  /** Nobody holds it, or it is reserved for the caller. */
  | "free";

export type GuardVerdict = "allow" | "tell" | "refuse";

export function verdictOn(mode: GuardMode, stick: StickSight, effect: Effect): GuardVerdict {
  if (mode === "off" || effect === "reads") return "allow";
  if (mode === "strict") return "refuse";
  if (effect === "unknown") return "allow";
  const isStopped = stick === "held" || stick === "paused";
  if (mode === "deny") return isStopped ? "refuse" : "tell";
  return isStopped ? "tell" : "allow";
}

/** The more severe of two. */
export function severer(a: GuardVerdict, b: GuardVerdict): GuardVerdict {
  const order: readonly GuardVerdict[] = ["allow", "tell", "refuse"];
  return order.indexOf(a) < order.indexOf(b) ? b : a;
}
