/**
 * A whole command of the built `tt`, from the start of its process to its end, beside a node that does nothing, and beside
 * one that does nothing but commit. A send goes to an agent that waits for mail, and is also measured up to the moment in
 * which that one has it.
 */
import type { SpawnSyncOptions } from "node:child_process";
import { join } from "node:path";
import { type BuiltProgram, buildProgram } from "../built-program.ts";
import { type Figure, median, milliseconds } from "../figure.ts";
import { atMost, type Finding } from "../finding.ts";
import { lifeOf } from "../life-of.ts";
import { nowUs, PACE_MS } from "../marks.ts";
import type { Row } from "../row.ts";
import type { Worker } from "../worker.ts";
import type { Agent } from "../workers/agent.ts";
import { pause } from "../workers/pause.ts";
import type { Workshop } from "../workshop.ts";

const TARGET = 1.35;
const HEARD_TARGET = 1.5;
const COMMANDS = ["try", "state"] as const;
const FOLLOWER = "bench:follower";

interface Site {
  readonly program: string;
  /** The words of the least command. */
  readonly least: readonly string[];
  readonly options: SpawnSyncOptions;
  readonly rounds: number;
}

export const command: Row = {
  name: "command",
  async measure(shop) {
    const built = buildProgram("command");
    try {
      return await measureAll(shop, built);
    } finally {
      built.remove();
    }
  },
};

async function measureAll(shop: Workshop, { program }: BuiltProgram): Promise<readonly Finding[]> {
  const { env, tree } = shop.ground({ TT_SEND_RATE_PER_MIN: "0" });
  const options = { env: { ...env, TT_AGENT_ID: "bench:agent" }, cwd: tree };
  const least = [(await shop.bundle("bare-command")).file, join(shop.directory(), "least.db")];
  const site = { program, least, options, rounds: shop.scale(100, 10) };
  // The first one makes the room and keeps what was compiled, as it does once for every user.
  lifeOf([program, "try"], options);
  const commands = measureCommands(site);
  const follower = await shop.start<Agent>("agent", { env });
  await follower.ask("join", { agentId: FOLLOWER, tree });
  return [...commands, ...(await measureSends(site, follower))];
}

function measureCommands({ program, least, options, rounds }: Site): readonly Finding[] {
  const times = { bare: [] as number[], least: [] as number[], try: [] as number[], state: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    times.bare.push(lifeOf(["-e", "0"], options));
    times.least.push(lifeOf(least, options));
    for (const name of COMMANDS) times[name].push(lifeOf([program, name], options));
  }
  const floor = middle(times.bare);
  const what = "the least command: open, one commit, end; against bare node, p50";
  return [
    atMost({ what, floor, measured: middle(times.least) }, null),
    ...COMMANDS.map((name) =>
      atMost({ what: `tt ${name}, against bare node, p50`, floor, measured: middle(times[name]) }, TARGET),
    ),
  ];
}

async function measureSends({ program, options, rounds }: Site, follower: Worker<Agent>): Promise<readonly Finding[]> {
  const times = { bare: [] as number[], sent: [] as number[], heard: [] as number[] };
  const send = async () => {
    const arrivals = follower.ask("receiveMessages", { count: 1 });
    // Until it waits.
    await pause(4 * PACE_MS);
    const startUs = nowUs();
    times.sent.push(lifeOf([program, "msg", "send", FOLLOWER, "the parser is yours"], options));
    times.heard.push(...(await arrivals).map(([, us]) => us - startUs));
  };
  // As above: its functions are kept by the first one.
  await send();
  times.sent.length = times.heard.length = 0;
  for (let round = 0; round < rounds; round += 1) {
    times.bare.push(lifeOf(["-e", "0"], options));
    await send();
  }
  const floor = middle(times.bare);
  const heard = "tt msg send, spawn → follower has it, against bare node, p50";
  return [
    atMost({ what: "tt msg send, against bare node, p50", floor, measured: middle(times.sent) }, TARGET),
    atMost({ what: heard, floor, measured: middle(times.heard) }, HEARD_TARGET),
  ];
}

function middle(samples: readonly number[]): Figure {
  return milliseconds(median(samples));
}
