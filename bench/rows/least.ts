/** What the least program takes beyond a bare commit: how much of the other rows is the machine and the runtime. */
import { join } from "node:path";
import { median, milliseconds, perSecond, sum } from "../figure.ts";
import { atLeast, atMost, type Finding } from "../finding.ts";
import { bareCommits } from "../floors/bare-commit.ts";
import { handedOver, handedRound, leastPair, told } from "../floors/least-program.ts";
import { alternately } from "../marks.ts";
import type { Row } from "../row.ts";
import type { Worker } from "../worker.ts";
import type { BareSqlite } from "../workers/bare-sqlite.ts";
import type { Workshop } from "../workshop.ts";

const WRITERS = 4;

export const least: Row = {
  name: "least",
  async measure(shop) {
    const samples = shop.scale(100, 30);
    const rounds = shop.scale(10, 2);
    const floor = await bareCommits(shop, samples);
    const pair = await leastPair(shop);
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

async function contended(shop: Workshop): Promise<Finding> {
  const processes = shop.scale(16, 6);
  const [rounds, floorMs, turnsMs] = [shop.scale(5, 2), shop.scale(2000, 500), shop.scale(4000, 1000)];
  const file = join(shop.directory(), "floor.db");
  const open = (writer: Worker<BareSqlite>) => writer.ask("open", { file });
  const writers = await shop.startMany<BareSqlite>(WRITERS, "bare-sqlite", {}, open);
  const contend = await handedRound(shop, processes);
  let [commits, grants] = [0, 0];
  for (let round = 0; round < rounds; round += 1) {
    commits += sum(await Promise.all(writers.map((writer) => writer.ask("hammer", { forMs: floorMs }))));
    grants += await contend(turnsMs);
  }
  const floor = perSecond(commits / (rounds * (floorMs / 1000)));
  const measured = perSecond(grants / (rounds * (turnsMs / 1000)));
  return atLeast({ what: `the least program: ${processes} contending processes, grants`, floor, measured }, null);
}
