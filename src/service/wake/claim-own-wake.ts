/** For a process inside a harness that can begin a turn of one of its sessions. */
import type { AgentId } from "../../domain/ids.ts";
import { BATCH_WINDOW, type Claim, openWish } from "../../domain/wake/batch.ts";
import { nextStep } from "../../domain/wake/ladder.ts";
import type { Deps } from "../deps.ts";
import { claimWake } from "./claim-wake.ts";
import { isClaim } from "./climb.ts";
import { findSleeper, type Ways } from "./wake-facts.ts";

interface Sleeping {
  readonly agentId: AgentId;
  readonly project: string;
}

/**
 * Null when nobody wishes it to be woken, or somebody else does it already. `busy`: it should see its mail by itself,
 * which is worth another look, because its turn may have been past the point at which it does.
 */
export async function claimOwnWake(
  deps: Deps,
  waking: Ways,
  { agentId, project }: Sleeping,
): Promise<Claim | "busy" | null> {
  const { window, moment } = await deps.store.readMailbox(agentId, BATCH_WINDOW);
  const seq = openWish(window, moment);
  if (seq === null) return null;
  const { facts } = await findSleeper(deps, waking, project, agentId);
  // This very process is the waker, whatever the row says yet.
  const step = nextStep({ ...facts, waker: "alive", process: "alive" }, new Set());
  if ("stop" in step) return step.stop === "skipped_busy" ? "busy" : null;
  const claim = await claimWake(deps, agentId, seq);
  return isClaim(claim) ? claim : null;
}
