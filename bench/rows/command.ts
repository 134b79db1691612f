/** A whole command of the built `tt`, from the start of its process to its end, beside a node that does nothing. */
import type { SpawnSyncOptions } from "node:child_process";
import { buildProgram } from "../built-program.ts";
import { median, milliseconds } from "../figure.ts";
import { atMost, type Finding } from "../finding.ts";
import { lifeOf } from "../life-of.ts";
import type { Row } from "../row.ts";

const TARGET = 1.35;
const COMMANDS = ["try", "state"] as const;

export const command: Row = {
  name: "command",
  async measure(shop) {
    const { env, tree } = shop.ground();
    const { program, remove } = buildProgram("command");
    try {
      return measureCommands(program, { env: { ...env, TT_AGENT_ID: "bench:agent" }, cwd: tree }, shop.scale(100, 10));
    } finally {
      remove();
    }
  },
};

function measureCommands(program: string, options: SpawnSyncOptions, rounds: number): readonly Finding[] {
  // The first one makes the room and keeps what was compiled, as it does once for every user.
  lifeOf([program, "try"], options);
  const times = { bare: [] as number[], try: [] as number[], state: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    times.bare.push(lifeOf(["-e", "0"], options));
    for (const name of COMMANDS) times[name].push(lifeOf([program, name], options));
  }
  const floor = milliseconds(median(times.bare));
  return COMMANDS.map((name) => {
    const measured = milliseconds(median(times[name]));
    return atMost({ what: `tt ${name}, against bare node, p50`, floor, measured }, TARGET);
  });
}
