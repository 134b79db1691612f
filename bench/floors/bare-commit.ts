/** The floor of everything that one process tells another durably: a bare commit and a reader that spins. */
import { join } from "node:path";
import { batchOf, latencies, PACE_MS } from "../marks.ts";
import type { BareSqlite } from "../workers/bare-sqlite.ts";
import type { Workshop } from "../workshop.ts";

/** Each call measures one batch; the reader spins only meanwhile, since it takes a whole core. */
export async function bareCommits(shop: Workshop, samples: number): Promise<() => Promise<readonly number[]>> {
  const file = join(shop.directory(), "floor.db");
  const [writer, reader] = [await shop.start<BareSqlite>("bare-sqlite"), await shop.start<BareSqlite>("bare-sqlite")];
  await writer.ask("open", { file });
  await reader.ask("open", { file });
  return async () => {
    const count = batchOf(samples);
    const [starts, arrivals] = await Promise.all([
      writer.ask("write", { count, everyMs: PACE_MS }),
      reader.ask("spin", { count }),
    ]);
    return latencies(starts, arrivals);
  };
}
