/** Many processes that all want the stick, all the time. */
import { milliseconds, perSecond, sum } from "../figure.ts";
import { atLeast, bounded, faultless } from "../finding.ts";
import { handedRound } from "../floors/least-program.ts";
import type { Row } from "../row.ts";
import type { Worker } from "../worker.ts";
import type { Contended } from "../workers/agent/turns.ts";
import type { Agent } from "../workers/agent.ts";
import type { Workshop } from "../workshop.ts";

const WORST_WAIT_US = 1_000_000;

export const contention: Row = {
  name: "contention",
  async measure(shop) {
    const agents = shop.scale(16, 6);
    const [rounds, floorMs, turnsMs] = [shop.scale(5, 2), shop.scale(2000, 500), shop.scale(4000, 1000)];
    const [handRound, contenders] = [await handedRound(shop, agents), await startContenders(shop, agents)];
    // Everybody's first turns compile what they need.
    await Promise.all(contenders.map((agent) => agent.ask("contend", { forMs: turnsMs })));
    let least = 0;
    const contended: Contended[] = [];
    for (let round = 0; round < rounds; round += 1) {
      least += await handRound(floorMs);
      contended.push(...(await Promise.all(contenders.map((agent) => agent.ask("contend", { forMs: turnsMs })))));
    }
    const floor = perSecond(least / (rounds * (floorMs / 1000)));
    const measured = perSecond(sum(contended.map(({ grants }) => grants)) / (rounds * (turnsMs / 1000)));
    const worstWaitUs = Math.max(...contended.map((one) => one.worstWaitUs));
    const faults = contended.flatMap((one) => one.faults);
    return [
      atLeast({ what: `${agents} contending processes, grants`, floor, measured }, 0.25),
      bounded(`${agents} contending processes, worst wait`, milliseconds(worstWaitUs), milliseconds(WORST_WAIT_US)),
      faultless(`${agents} contending processes, failed calls`, faults),
    ];
  },
};

function startContenders(shop: Workshop, count: number): Promise<readonly Worker<Agent>[]> {
  const { env, tree } = shop.ground();
  return shop.startMany<Agent>(count, "agent", { env }, (agent, index) =>
    agent.ask("join", { agentId: `bench:agent-${index}`, tree }),
  );
}
