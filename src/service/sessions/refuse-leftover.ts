import type { Caller } from "../../domain/given.ts";
import type { Refusal } from "../../domain/refusal.ts";
import { isLeftover, sessionEnded } from "../../domain/session/retirement.ts";
import type { Deps } from "../deps.ts";

/** The refusal for a process that a retired session left behind; null for everybody else. */
export function refuseLeftover({ retired, clock }: Pick<Deps, "retired" | "clock">, caller: Caller): Refusal | null {
  const { agentId, harness, sessionId, process } = caller;
  if (!retired || sessionId === null) return null;
  const retirement = retired.read({ harness, sessionId });
  const isOne = retirement !== null && isLeftover(retirement, process, clock.now().instant);
  return isOne ? sessionEnded(agentId, sessionId) : null;
}
