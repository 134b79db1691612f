/** From a release in one process to the turn in the hands of the other, who waits for it. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { median, milliseconds } from "../figure.ts";
import { atMost } from "../finding.ts";
import { handedOver, leastPair } from "../floors/least-program.ts";
import { alternately, batchOf, PACE_MS, type Samples, turnLatencies } from "../marks.ts";
import type { Row } from "../row.ts";
import type { Agent } from "../workers/agent.ts";
import type { Workshop } from "../workshop.ts";

/** A release in a repository ends when git has answered. Only then can its agent wait again. */
const GIT_HOLD_MS = 250;
const PER_DIRECTORY = 50;

export const grant: Row = {
  name: "grant",
  async measure(shop) {
    const samples = shop.scale(100, 30);
    const rounds = shop.scale(10, 2);
    const floor = handedOver(await leastPair(shop), samples);
    const bare = await alternately(rounds, floor, await grantedTurns(shop, { samples, files: 0, holdMs: PACE_MS }));
    const files = shop.scale(5000, 200);
    const held = { samples: shop.scale(20, 10), files, holdMs: GIT_HOLD_MS };
    const heldFloor = handedOver(await leastPair(shop), held.samples, GIT_HOLD_MS);
    const turns = await grantedTurns(shop, held);
    // The first snapshot of the tree takes longer.
    await turns();
    const withGit = await alternately(shop.scale(3, 1), heldFloor, turns);
    return [
      compared("release → your_turn, p50", bare, 2.2),
      compared(`release → your_turn in a git repository of ${files} files, p50`, withGit, 2.7),
    ];
  },
};

function compared(what: string, { floor, measured }: Samples, target: number) {
  return atMost({ what, floor: milliseconds(median(floor)), measured: milliseconds(median(measured)) }, target);
}

interface Turns {
  readonly samples: number;
  /** 0: no repository. */
  readonly files: number;
  readonly holdMs: number;
}

async function grantedTurns(shop: Workshop, { samples, files, holdMs }: Turns) {
  const { env, tree } = shop.ground();
  if (files > 0) makeRepository(tree, files);
  const [one, other] = [await shop.start<Agent>("agent", { env }), await shop.start<Agent>("agent", { env })];
  await one.ask("join", { agentId: "bench:one", tree });
  await other.ask("join", { agentId: "bench:other", tree });
  return async (): Promise<readonly number[]> => {
    const order = { rounds: Math.ceil(batchOf(samples) / 2), holdMs };
    return turnLatencies(await Promise.all([one.ask("takeTurns", order), other.ask("takeTurns", order)]));
  };
}

function makeRepository(tree: string, files: number): void {
  const git = (...args: string[]) => execFileSync("git", ["-C", tree, ...args], { stdio: "ignore" });
  for (let at = 0; at < files; at += 1) {
    const directory = join(tree, `d${Math.floor(at / PER_DIRECTORY)}`);
    if (at % PER_DIRECTORY === 0) mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, `f${at}`), `file ${at}\n`);
  }
  git("init");
  git("add", ".");
  git("-c", "user.name=bench", "-c", "user.email=bench@example.com", "commit", "-m", "first");
}
