/** Many processes that do all that agents do, without a pause, in a few rooms: on a free machine and on a busy one. */
import { mkdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { perSecond, sum } from "../figure.ts";
import { atLeast, type Finding, faultless } from "../finding.ts";
import type { Row } from "../row.ts";
import type { Worker } from "../worker.ts";
import type { Mixed } from "../workers/agent/mixed.ts";
import type { Agent } from "../workers/agent.ts";
import type { BareHot } from "../workers/bare-hot.ts";
import type { Burn } from "../workers/burn.ts";
import type { Workshop } from "../workshop.ts";

/** Each has two members at least, so that each of them has a neighbour to send to. */
const ROOMS = 8;

export const hot: Row = {
  name: "hot",
  async measure(shop) {
    const processes = shop.scale(32, 16);
    const [bare, agents] = [await startBare(shop, processes), await startAgents(shop, processes)];
    const burners = await shop.startMany<Burn>(availableParallelism(), "burn", {}, async () => undefined);
    const what = `${processes} hot writers in ${ROOMS} rooms`;
    return [
      ...(await compared(shop, what, bare, agents, [])),
      ...(await compared(shop, `${what}, every core busy elsewhere`, bare, agents, burners)),
    ];
  },
};

type Batch = (forMs: number) => Promise<readonly Mixed[]>;

async function compared(
  shop: Workshop,
  what: string,
  bare: Batch,
  agents: Batch,
  burners: readonly Worker<Burn>[],
): Promise<readonly Finding[]> {
  const [rounds, bareMs, agentsMs] = [shop.scale(3, 1), shop.scale(2000, 500), shop.scale(4000, 1000)];
  const beside = async (batch: Batch, forMs: number) => {
    const burning = burners.map((burner) => burner.ask("burn", { forMs }));
    const [reports] = await Promise.all([batch(forMs), ...burning]);
    return reports;
  };
  const [floor, measured]: [Mixed[], Mixed[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    floor.push(...(await beside(bare, bareMs)));
    measured.push(...(await beside(agents, agentsMs)));
  }
  const rate = (reports: readonly Mixed[], forMs: number) =>
    perSecond(sum(reports.map(({ done }) => done)) / (rounds * (forMs / 1000)));
  const failures = measured.flatMap((report) => report.failures);
  return [
    atLeast({ what: `${what}, operations`, floor: rate(floor, bareMs), measured: rate(measured, agentsMs) }, 0.35),
    faultless(`${what}, failed opens, joins and calls`, failures),
  ];
}

const neighbour = (me: number, processes: number) => (me + ROOMS) % processes;
const nameOf = (me: number) => `bench:hot-${me}`;

async function startBare(shop: Workshop, processes: number): Promise<Batch> {
  const directory = shop.directory();
  const workers = await shop.startMany<BareHot>(processes, "bare-hot", {}, (worker, me) =>
    worker.ask("open", { directory, me, room: me % ROOMS, peer: neighbour(me, processes) }),
  );
  return (forMs) =>
    Promise.all(
      workers.map(async (worker) => ({ done: await worker.ask("mixed", { forMs }), failures: [] as string[] })),
    );
}

async function startAgents(shop: Workshop, processes: number): Promise<Batch> {
  const { env, tree } = shop.ground({ TT_SEND_RATE_PER_MIN: "0" });
  const trees = Array.from({ length: ROOMS }, (_, room) => join(tree, `room-${room}`));
  for (const directory of trees) mkdirSync(directory);
  const workers = await shop.startMany<Agent>(processes, "agent", { env }, async () => undefined);
  return (forMs) =>
    Promise.all(
      workers.map((worker, me) =>
        worker.ask("mixed", {
          agentId: nameOf(me),
          tree: trees[me % ROOMS] ?? tree,
          peer: nameOf(neighbour(me, processes)),
          forMs,
        }),
      ),
    );
}
