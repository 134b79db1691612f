/** One process sends messages, another one receives them: the program's side of the rows about messages. */
import type { Ground } from "../test/support/sqlite-world.ts";
import { batchOf, latencies, PACE_MS } from "./marks.ts";
import type { Worker } from "./worker.ts";
import type { Agent } from "./workers/agent.ts";
import type { Workshop } from "./workshop.ts";

export interface Correspondents {
  readonly sender: Worker<Agent>;
  readonly receiver: Worker<Agent>;
}

export const RECEIVER = "bench:receiver";

export async function correspondents(shop: Workshop, settings: Ground["env"] = {}): Promise<Correspondents> {
  const { env, tree } = shop.ground(settings);
  const options = { env, postgres: "TT_STORE" in settings };
  const [sender, receiver] = [await shop.start<Agent>("agent", options), await shop.start<Agent>("agent", options)];
  await sender.ask("join", { agentId: "bench:sender", tree });
  await receiver.ask("join", { agentId: RECEIVER, tree });
  return { sender, receiver };
}

/** Each call measures one batch. */
export function heardMessages({ sender, receiver }: Correspondents, samples: number) {
  return async (): Promise<readonly number[]> => {
    const count = batchOf(samples);
    const [starts, arrivals] = await Promise.all([
      sender.ask("sendMessages", { to: RECEIVER, count, everyMs: PACE_MS }),
      receiver.ask("receiveMessages", { count }),
    ]);
    return latencies(starts, arrivals);
  };
}
