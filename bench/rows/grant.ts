/** From a release in one process to the turn in the hands of the other, who waits for it. */
import { execFileSync } from "node:child_process";
import { median, milliseconds } from "../figure.ts";
import { atMost } from "../finding.ts";
import { bareCommits } from "../floors/bare-commit.ts";
import { alternately, batchOf, PACE_MS, type Samples, turnLatencies } from "../marks.ts";
import type { Row } from "../row.ts";
import type { Agent } from "../workers/agent.ts";
import type { Workshop } from "../workshop.ts";

export const grant: Row = {
  name: "grant",
  async measure(shop) {
    const samples = shop.scale(100, 30);
    const rounds = shop.scale(10, 2);
    const floor = await bareCommits(shop, samples);
    const bare = await alternately(rounds, floor, await grantedTurns(shop, { samples, git: false }));
    // A release in a repository asks git first what changed, in processes of its own.
    const withGit = await alternately(2, floor, await grantedTurns(shop, { samples: shop.scale(50, 10), git: true }));
    return [
      compared("release → your_turn, p50", bare, 3),
      compared("release → your_turn in a git repository, p50", withGit, null),
    ];
  },
};

function compared(what: string, { floor, measured }: Samples, target: number | null) {
  return atMost({ what, floor: milliseconds(median(floor)), measured: milliseconds(median(measured)) }, target);
}

async function grantedTurns(shop: Workshop, { samples, git }: { readonly samples: number; readonly git: boolean }) {
  const { env, tree } = shop.ground();
  if (git) makeRepository(tree);
  const [one, other] = [await shop.start<Agent>("agent", { env }), await shop.start<Agent>("agent", { env })];
  await one.ask("join", { agentId: "bench:one", tree });
  await other.ask("join", { agentId: "bench:other", tree });
  return async (): Promise<readonly number[]> => {
    const order = { rounds: Math.ceil(batchOf(samples) / 2), holdMs: PACE_MS };
    return turnLatencies(await Promise.all([one.ask("takeTurns", order), other.ask("takeTurns", order)]));
  };
}

function makeRepository(tree: string): void {
  const git = (...args: string[]) => execFileSync("git", ["-C", tree, ...args], { stdio: "ignore" });
  git("init");
  git("-c", "user.name=bench", "-c", "user.email=bench@example.com", "commit", "--allow-empty", "-m", "first");
}
