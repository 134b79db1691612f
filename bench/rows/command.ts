/**
 * A whole command of the built `tt`, from the start of its process to its end, beside a node that does nothing, and beside
 * one that does nothing but commit. It is alone in the store, or another process has the store open. A send to an agent
 * that waits for mail is also measured up to the moment in which that one has it.
 */
import type { SpawnSyncOptions } from "node:child_process";
import { join } from "node:path";
import { type BuiltProgram, buildProgram } from "../built-program.ts";
import { type Figure, median, milliseconds } from "../figure.ts";
import { atMost, type Finding } from "../finding.ts";
import { lifeOf } from "../life-of.ts";
import { nowUs, PACE_MS } from "../marks.ts";
import { type NodeProgram, nodesHere } from "../nodes.ts";
import type { Row } from "../row.ts";
import type { Worker } from "../worker.ts";
import type { Agent } from "../workers/agent.ts";
import { pause } from "../workers/pause.ts";
import type { Workshop } from "../workshop.ts";

const TARGET = 1.5;
const SENDER = "bench:agent";
const READER = "bench:reader";
const FOLLOWER = "bench:follower";

interface Site {
  readonly node: NodeProgram;
  readonly program: string;
  readonly options: SpawnSyncOptions;
  readonly rounds: number;
}

export const command: Row = {
  name: "command",
  async measure(shop) {
    const built = buildProgram("command");
    const { nodes, missing } = nodesHere();
    try {
      const findings: Finding[] = [];
      for (const node of nodes) findings.push(...(await measureOn(node, shop, built)));
      return [...findings, ...missing];
    } finally {
      built.remove();
    }
  },
};

async function measureOn(node: NodeProgram, shop: Workshop, { program }: BuiltProgram): Promise<readonly Finding[]> {
  const { env, tree } = shop.ground({ TT_SEND_RATE_PER_MIN: "0" });
  const options = { env: { ...env, TT_AGENT_ID: SENDER }, cwd: tree };
  const site = { node, program, options, rounds: shop.scale(60, 5) };
  for (const agent of [READER, SENDER]) run(site, ["join"], agent);
  const least = [(await shop.bundle("bare-command")).file, join(shop.directory(), "least.db")];
  const alone = [measureLeast(site, least), ...measureCommands(site, "alone in the store")];
  const follower = await shop.start<Agent>("agent", { env });
  await follower.ask("join", { agentId: FOLLOWER, tree });
  const beside = measureCommands(site, "another has the store open");
  return [...alone, ...beside, await measureHeard(site, follower)];
}

function measureLeast(site: Site, words: readonly string[]): Finding {
  const { node, options, rounds } = site;
  const times = { bare: [] as number[], least: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    times.bare.push(bareLife(site));
    times.least.push(lifeOf(words, options, node.path));
  }
  const what = `${node.name}: the least command: open, one commit, end; against bare node, p50`;
  return atMost({ what, floor: middle(times.bare), measured: middle(times.least) }, null);
}

/** The message of each round is received in the same round. */
function measureCommands(site: Site, where: string): readonly Finding[] {
  const commands: Readonly<Record<string, () => number>> = {
    try: () => run(site, ["try"]),
    state: () => run(site, ["state"]),
    "msg send": () => run(site, ["msg", "send", READER, "the parser is yours"]),
    "msg recv": () => run(site, ["msg", "recv"], READER),
  };
  const names = Object.keys(commands);
  // The first ones keep what was compiled, as they do once for every user.
  for (const name of names) commands[name]?.();
  const bare: number[] = [];
  const times = new Map(names.map((name) => [name, [] as number[]]));
  for (let round = 0; round < site.rounds; round += 1) {
    bare.push(bareLife(site));
    for (const name of names) times.get(name)?.push(commands[name]?.() ?? 0);
  }
  return names.map((name) => {
    const what = `${site.node.name}: tt ${name}, ${where}; against bare node, p50`;
    return atMost({ what, floor: middle(bare), measured: middle(times.get(name) ?? []) }, TARGET);
  });
}

async function measureHeard(site: Site, follower: Worker<Agent>): Promise<Finding> {
  const times = { bare: [] as number[], heard: [] as number[] };
  for (let round = 0; round < site.rounds; round += 1) {
    times.bare.push(bareLife(site));
    const arrivals = follower.ask("receiveMessages", { count: 1 });
    // Until it waits.
    await pause(4 * PACE_MS);
    const startUs = nowUs();
    run(site, ["msg", "send", FOLLOWER, "the parser is yours"]);
    times.heard.push(...(await arrivals).map(([, us]) => us - startUs));
  }
  const what = `${site.node.name}: tt msg send, spawn → follower has it; against bare node, p50`;
  return atMost({ what, floor: middle(times.bare), measured: middle(times.heard) }, TARGET);
}

function run({ node, program, options }: Site, words: readonly string[], agent = SENDER): number {
  return lifeOf([program, ...words], { ...options, env: { ...options.env, TT_AGENT_ID: agent } }, node.path);
}

function bareLife({ node, options }: Site): number {
  return lifeOf(["-e", "0"], options, node.path);
}

function middle(samples: readonly number[]): Figure {
  return milliseconds(median(samples));
}
