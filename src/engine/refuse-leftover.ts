import type { Refusal } from "../core/refusal.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { isLeftover, sessionEnded } from "../session/rules/retirement.ts";
import type { Deps } from "./deps.ts";

/** The refusal for a process that a retired session left behind; null for every other caller. */
export function refuseLeftover(
  { retired, clock, activity }: Pick<Deps, "retired" | "clock" | "activity">,
  { agentId, harness, sessionId, process }: Caller,
): Refusal<"session_ended"> | null {
  const retirement = sessionId === null ? null : (retired?.read({ harness, sessionId }) ?? null);
  if (retirement === null || sessionId === null) return null;
  const sight = { process, sign: activity.lastSign(sessionId), now: clock.now().instant };
  return isLeftover(retirement, sight) ? sessionEnded(agentId, sessionId) : null;
}
