/**
 * A process inside the recipient's harness has heard of the mail by the same ring as everybody, and claims the wake by
 * itself. The sender only looks what comes of it, until its time is over; the waker rings it when it is done.
 */
import type { AgentId } from "../../domain/ids.ts";
import { elapsedMs } from "../../domain/time.ts";
import { standingOf } from "../../domain/wake/batch.ts";
import type { WakeStatus } from "../../domain/wake/wake-status.ts";
import type { Deps } from "../deps.ts";
import { markBeforeLook, sleepUntilWorthLooking } from "../sleep.ts";
import { batchNow } from "./claim-wake.ts";

export interface Awaited {
  readonly owner: AgentId;
  readonly seq: number;
  /** Whose bell the waker rings. */
  readonly sender: AgentId;
  readonly forMs: number;
}

/** Null when nobody has tried. */
export async function awaitWaker(deps: Deps, { owner, seq, sender, forMs }: Awaited): Promise<WakeStatus | null> {
  const bell = await deps.bell.subscribe(sender);
  try {
    const since = deps.clock.now().instant;
    for (let isLast = false; ; ) {
      const mark = await markBeforeLook(deps, bell);
      const batch = await batchNow(deps, owner);
      const standing = standingOf(batch, seq);
      const { box } = batch.window;
      if (standing === "read") return box.wokenSeq >= seq ? "fired" : "receiver_live";
      const isTrying = box.wokenSeq >= seq && box.wakeClaim !== null;
      if (standing !== "open" && !isTrying) return standing;
      if (box.wakeOutcome === "failed") return null;
      if (isLast) return standing === "open" ? null : standing;
      const leftMs = forMs - elapsedMs(since, deps.clock.now().instant);
      isLast = leftMs <= 0 || (await sleepUntilWorthLooking(deps, bell, { forMs: leftMs, mark })) === "timeout";
    }
  } finally {
    bell.close();
  }
}
