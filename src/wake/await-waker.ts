/**
 * A process inside the recipient's harness has heard of the mail by the same ring as everybody, and claims the wake by
 * itself. The sender only looks what comes of it, until its time is over. The waker has less time to begin: if it does
 * nothing, there must be time for another way. What it has begun is waited for until the recipient shows a sign of life.
 */
import type { AgentId } from "../core/ids.ts";
import { after } from "../core/time.ts";
import type { Deps } from "../engine/deps.ts";
import { type Look, waitUntil } from "../engine/wait-until.ts";
import { batchNow } from "../mail/claim-wake.ts";
import { standingOf } from "../mail/rules/batch.ts";
import type { WakeStatus } from "../mail/rules/wake-status.ts";
import { LOOK_EVERY_MS } from "../mail/sign-of-life.ts";

export interface Awaited {
  readonly owner: AgentId;
  readonly seq: number;
  /** Whose bell the waker rings. */
  readonly sender: AgentId;
  /** Within which it has to begin. */
  readonly beginMs: number;
  readonly forMs: number;
  /** Called when the waker has begun what cannot be taken back. */
  readonly onBegun: () => void;
}

/** Null when no process has tried. */
export async function awaitWaker(deps: Deps, awaited: Awaited): Promise<WakeStatus | null> {
  const { owner, seq, sender, beginMs, forMs, onBegun } = awaited;
  let isLate = false;
  let begun: WakeStatus | null = null;
  const look = async (): Promise<Look<WakeStatus | null>> => {
    const batch = await batchNow(deps, owner);
    const standing = standingOf(batch, seq);
    const { box } = batch.window;
    if (standing === "read") return { found: box.wokenSeq >= seq ? "fired" : "receiver_live" };
    const mayBeConfirmed = box.wokenSeq >= seq && box.wakeClaim !== null;
    if (standing !== "open" && box.wokenSeq >= seq) onBegun();
    if (standing !== "open" && !mayBeConfirmed) return { found: standing };
    if (box.wakeOutcome === "failed") return { found: null };
    if (standing === "open" && isLate) return { found: null };
    begun = standing === "open" ? null : standing;
    return {};
  };
  const since = deps.clock.now().instant;
  const until = (ms: number) =>
    waitUntil(deps, { name: sender, look, until: after(since, ms), everyMs: LOOK_EVERY_MS });
  const ended = await until(beginMs);
  if ("found" in ended) return ended.found;
  if (begun === null) return null;
  isLate = true;
  const confirmed = await until(forMs);
  return "found" in confirmed ? confirmed.found : begun;
}
