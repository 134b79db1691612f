import type { Refusal } from "../core/refusal.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { sessionEnded } from "../session/rules/retirement.ts";
import type { Deps } from "./deps.ts";

/**
 * Whether the caller's own harness is proven gone: whatever it is given reaches nobody. That the session may live on in
 * another process says nothing here, since that one has not made the call.
 */
export function isOrphaned({ probe }: Pick<Deps, "probe">, { process }: Caller): boolean {
  return process !== null && probe.verdict(process) === "gone";
}

/** The refusal for a call that outlives its harness; null for every other. */
export function refuseOrphan(deps: Pick<Deps, "probe">, caller: Caller): Refusal | null {
  return isOrphaned(deps, caller) ? sessionEnded(caller.agentId, caller.sessionId) : null;
}
