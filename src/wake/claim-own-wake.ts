/** For a process inside a harness that can begin a turn of one of its sessions. */
import type { AgentId } from "../core/ids.ts";
import type { ProcessRef } from "../core/process.ts";
import type { Deps } from "../engine/deps.ts";
import { batchNow, claimWake } from "../mail/claim-wake.ts";
import { type Claim, pendingWake } from "../mail/rules/batch.ts";
import { findWakeTarget, type Ways } from "../session/wake-facts.ts";
import { isClaim } from "./climb.ts";
import { nextStep } from "./rules/ladder.ts";

interface SessionToWake {
  readonly agentId: AgentId;
  readonly project: string;
  /** The process inside its harness that wakes it. */
  readonly waker: ProcessRef;
}

/**
 * Null when no sender wants it woken, or another process wakes it already. `busy`: it should see its mail by itself.
 * Look again later, because its turn may be past the point where it does.
 */
export async function claimOwnWake(
  deps: Deps,
  waking: Ways,
  { agentId, project, waker }: SessionToWake,
): Promise<Claim | "busy" | null> {
  const seq = pendingWake(await batchNow(deps, agentId));
  if (seq === null) return null;
  const { facts } = await findWakeTarget(deps, waking, project, agentId);
  // This process is the waker, even if the row does not say so yet.
  const step = nextStep({ ...facts, waker: "alive", process: "alive" }, new Set());
  if ("stop" in step) return step.stop === "skipped_busy" ? "busy" : null;
  const claim = await claimWake(deps, agentId, seq, waker);
  return isClaim(claim) ? claim : null;
}
