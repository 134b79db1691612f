/** Many processes at work over one PostgreSQL, whose database has the mail of months. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Figure, perSecond, sum } from "../figure.ts";
import { atLeast, type Finding, faultless } from "../finding.ts";
import type { Worker } from "../worker.ts";
import type { Agent } from "../workers/agent.ts";
import type { BareTeam } from "../workers/bare-team.ts";
import type { Workshop } from "../workshop.ts";

const FEW = 8;
/** The members of each room. */
const ROOM = 4;
const PATIENT = '{"send_rate_per_min":0}';

export async function overServerAsTeam(shop: Workshop, url: string): Promise<readonly Finding[]> {
  const [many, deliveries] = [shop.scale(32, 12), shop.scale(100_000, 2000)];
  const [rounds, forMs] = [shop.scale(3, 1), shop.scale(5000, 500)];
  const bare = await shop.startMany<BareTeam>(FEW, "bare-team", { postgres: true }, (worker, index) =>
    worker.ask("open", { url, me: index, to: neighbour(index), room: roomOf(index) }),
  );
  const agents = await startAgents(shop, url, many);
  // One message, of which the others are copies.
  await agents[0]?.ask("sendMessages", { to: nameOf(1), count: 1, everyMs: 0 });
  await bare[0]?.ask("fill", { deliveries });
  // First turns compile what they need.
  await Promise.all(agents.map((agent, index) => agent.ask("teamWork", { to: nameOf(neighbour(index)), forMs })));
  const rates = { bare: [] as number[], few: [] as number[], many: [] as number[] };
  const faults: string[] = [];
  const workTogether = async (team: readonly Worker<Agent>[]) => {
    const done = await Promise.all(
      team.map((agent, index) => agent.ask("teamWork", { to: nameOf(neighbour(index)), forMs })),
    );
    faults.push(...done.flatMap((one) => one.faults));
    return sum(done.map(({ operations }) => operations)) / (forMs / 1000);
  };
  for (let round = 0; round < rounds; round += 1) {
    const done = await Promise.all(bare.map((worker) => worker.ask("mix", { forMs })));
    rates.bare.push(sum(done) / (forMs / 1000));
    rates.few.push(await workTogether(agents.slice(0, FEW)));
    rates.many.push(await workTogether(agents));
  }
  const size = `${deliveries} deliveries over PostgreSQL`;
  return [
    atLeast(
      { what: `${size}, ${FEW} clients, mixed operations`, floor: mean(rates.bare), measured: mean(rates.few) },
      0.4,
    ),
    atLeast(
      { what: `the same, ${many} clients against ${FEW}`, floor: mean(rates.few), measured: mean(rates.many) },
      0.9,
    ),
    faultless("the same, failed calls", faults),
  ];
}

async function startAgents(shop: Workshop, url: string, count: number): Promise<readonly Worker<Agent>[]> {
  const config = join(shop.directory(), "config.json");
  writeFileSync(config, PATIENT);
  const { env, tree } = shop.ground({ TT_STORE: url, TT_CONFIG: config });
  return shop.startMany<Agent>(count, "agent", { env, postgres: true }, (agent, index) => {
    const own = join(tree, String(roomOf(index)));
    mkdirSync(own, { recursive: true });
    return agent.ask("join", { agentId: nameOf(index), tree: own });
  });
}

function mean(of: readonly number[]): Figure {
  return perSecond(sum(of) / of.length);
}

function roomOf(index: number): number {
  return Math.floor(index / ROOM);
}

function neighbour(index: number): number {
  return roomOf(index) * ROOM + ((index + 1) % ROOM);
}

function nameOf(index: number): string {
  return `bench:agent-${index}`;
}
