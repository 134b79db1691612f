/** One process writes notes, another waits for them: the program's side of the rows about events. */
import type { Ground } from "../test/support/sqlite-world.ts";
import { batchOf, latencies, PACE_MS } from "./marks.ts";
import type { Agent } from "./workers/agent.ts";
import type { Workshop } from "./workshop.ts";

export interface HeardNotes {
  readonly samples: number;
  readonly settings?: Ground["env"];
}

/** Each call measures one batch. */
export async function heardNotes(shop: Workshop, { samples, settings = {} }: HeardNotes) {
  const { env, tree } = shop.ground(settings);
  const options = { env, postgres: "TT_STORE" in settings };
  const [writer, waiter] = [await shop.start<Agent>("agent", options), await shop.start<Agent>("agent", options)];
  await writer.ask("join", { agentId: "bench:writer", tree });
  await waiter.ask("join", { agentId: "bench:waiter", tree });
  return async (): Promise<readonly number[]> => {
    const count = batchOf(samples);
    const [starts, arrivals] = await Promise.all([
      writer.ask("addNotes", { count, everyMs: PACE_MS }),
      waiter.ask("hearNotes", { count, eventType: "note_added", target: "any" }),
    ]);
    return latencies(starts, arrivals);
  };
}
