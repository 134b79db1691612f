/** What the least program takes that commits, rings and wakes like ours: how much of a figure is the machine and the runtime. */
import { join } from "node:path";
import { median, milliseconds, perSecond, sum } from "../figure.ts";
import { atLeast, atMost, type Finding } from "../finding.ts";
import { bareCommits } from "../floors/bare-commit.ts";
import { alternately, batchOf, latencies, PACE_MS, turnLatencies } from "../marks.ts";
import type { Row } from "../row.ts";
import type { Worker } from "../worker.ts";
import type { BareProgram } from "../workers/bare-program.ts";
import type { BareSqlite } from "../workers/bare-sqlite.ts";
import { pause } from "../workers/pause.ts";
import type { Workshop } from "../workshop.ts";

type Pair = readonly [one: Worker<BareProgram>, other: Worker<BareProgram>];

const WRITERS = 4;

export const least: Row = {
  name: "least",
  async measure(shop) {
    const samples = shop.scale(100, 30);
    const rounds = shop.scale(10, 2);
    const floor = await bareCommits(shop, samples);
    const pair = await startPair(shop);
    const compare = async (what: string, batch: () => Promise<readonly number[]>): Promise<Finding> => {
      const { floor: bare, measured } = await alternately(rounds, floor, batch);
      const figures = { floor: milliseconds(median(bare)), measured: milliseconds(median(measured)) };
      return atMost({ what: `the least program: ${what}, p50`, ...figures }, null);
    };
    return [
      await compare("durable event", told(pair, samples, "hear")),
      await compare("durable message", told(pair, samples, "take")),
      await compare("release → turn", handedOver(pair, samples)),
      await contended(shop),
    ];
  },
};

function startAll(shop: Workshop, processes: number): Promise<readonly Worker<BareProgram>[]> {
  const directory = shop.directory();
  return shop.startMany<BareProgram>(processes, "bare-program", {}, (worker, me) =>
    worker.ask("open", { directory, me, processes }),
  );
}

function told([one, other]: Pair, samples: number, how: "hear" | "take") {
  return async (): Promise<readonly number[]> => {
    const count = batchOf(samples);
    const arrivals = other.ask(how, { count });
    // Until it listens.
    await pause(4 * PACE_MS);
    const starts = await one.ask("send", { to: 1, count, everyMs: PACE_MS, delivers: how === "take" });
    return latencies(starts, await arrivals);
  };
}

function handedOver(pair: Pair, samples: number, holdMs = PACE_MS) {
  return async (): Promise<readonly number[]> => {
    const order = { rounds: Math.ceil(batchOf(samples) / 2), holdMs };
    return turnLatencies(await Promise.all(pair.map((worker) => worker.ask("takeTurns", order))));
  };
}

/** The turns of the least program, each held as long as in the program that stands beside it. */
export async function leastTurns(shop: Workshop, samples: number, holdMs: number) {
  return handedOver(await startPair(shop), samples, holdMs);
}

async function startPair(shop: Workshop): Promise<Pair> {
  const [one, other] = await startAll(shop, 2);
  if (!one || !other) throw new Error("two processes were started");
  return [one, other];
}

async function contended(shop: Workshop): Promise<Finding> {
  const processes = shop.scale(16, 6);
  const [rounds, floorMs, turnsMs] = [shop.scale(5, 2), shop.scale(2000, 500), shop.scale(4000, 1000)];
  const file = join(shop.directory(), "floor.db");
  const open = (writer: Worker<BareSqlite>) => writer.ask("open", { file });
  const writers = await shop.startMany<BareSqlite>(WRITERS, "bare-sqlite", {}, open);
  const contenders = await startAll(shop, processes);
  let [commits, grants] = [0, 0];
  for (let round = 0; round < rounds; round += 1) {
    commits += sum(await Promise.all(writers.map((writer) => writer.ask("hammer", { forMs: floorMs }))));
    grants += sum(await Promise.all(contenders.map((worker) => worker.ask("contend", { forMs: turnsMs }))));
  }
  const floor = perSecond(commits / (rounds * (floorMs / 1000)));
  const measured = perSecond(grants / (rounds * (turnsMs / 1000)));
  return atLeast({ what: `the least program: ${processes} contending processes, grants`, floor, measured }, null);
}
