/** The least program that could do what ours does (bench/workers/bare-program.ts), beside which most rows stand. */
import { sum } from "../figure.ts";
import { batchOf, latencies, PACE_MS, turnLatencies } from "../marks.ts";
import type { Worker } from "../worker.ts";
import type { BareProgram } from "../workers/bare-program.ts";
import { pause } from "../workers/pause.ts";
import type { Workshop } from "../workshop.ts";

type Batch = () => Promise<readonly number[]>;

export type LeastPair = readonly [one: Worker<BareProgram>, other: Worker<BareProgram>];

export async function leastPair(shop: Workshop): Promise<LeastPair> {
  const [one, other] = await startAll(shop, 2);
  if (!one || !other) throw new Error("two processes were started");
  return [one, other];
}

/** An event that the other process hears, or a message that it takes and acknowledges. */
export function told([one, other]: LeastPair, samples: number, how: "hear" | "take"): Batch {
  return async () => {
    const count = batchOf(samples);
    const arrivals = other.ask(how, { count });
    // Until it listens.
    await pause(4 * PACE_MS);
    const starts = await one.ask("send", { to: 1, count, everyMs: PACE_MS, delivers: how === "take" });
    return latencies(starts, await arrivals);
  };
}

/** From a release in one process to the turn in the hands of the other, each held as long as in what stands beside it. */
export function handedOver(pair: LeastPair, samples: number, holdMs = PACE_MS): Batch {
  return async () => {
    const order = { rounds: Math.ceil(batchOf(samples) / 2), holdMs };
    return turnLatencies(await Promise.all(pair.map((worker) => worker.ask("takeTurns", order))));
  };
}

/** How many grants many processes made that hand the turn round as fast as it goes. */
export async function handedRound(shop: Workshop, processes: number): Promise<(forMs: number) => Promise<number>> {
  const workers = await startAll(shop, processes);
  return async (forMs) => sum(await Promise.all(workers.map((worker) => worker.ask("contend", { forMs }))));
}

function startAll(shop: Workshop, processes: number): Promise<readonly Worker<BareProgram>[]> {
  const directory = shop.directory();
  return shop.startMany<BareProgram>(processes, "bare-program", {}, (worker, me) =>
    worker.ask("open", { directory, me, processes }),
  );
}
