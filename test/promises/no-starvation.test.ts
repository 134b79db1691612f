/**
 * Goal: every waiter gets the stick. Method: processes that always want it take turns for a while. The log says
 * who was granted each turn; every process says from when on it certainly stood in the queue. From then until its
 * own grant no other one may have been preferred to it twice, unless a holder chose that one by a pass.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, inject } from "vitest";
import { openService } from "../../src/app/open-talking-stick.ts";
import { isRefusal } from "../../src/core/refusal.ts";
import { type Bundle, bundleFixture, startFixture } from "../support/fixture.ts";
import { bundleSqliteFixture } from "../support/sqlite-fixture.ts";
import { quickDirectory } from "../support/temporary-directory.ts";
import type { Turn, WaiterMessage, WaiterPlan } from "./fixtures/waiter.ts";
import { figure, freshSeed, verifies } from "./verifies.ts";

const NS_PER_MS = 1e6;
const WAITERS = 16;
const TURNS = figure(200, 10_000);

verifies("S7", `${WAITERS} waiters and ${TURNS} turns: nobody is passed over twice by the same one`, async () => {
  const bundle = await bundleSqliteFixture("waiter");
  await expectFairness(bundle, TURNS, {});
  bundle.remove();
});

const url = inject("postgresUrl");
if (url === null) process.stderr.write("SKIPPED: S7 on PostgreSQL: there is no server\n");

verifies("S7", "waiters on PostgreSQL are not passed over twice by the same one", async () => {
  if (url === null) return;
  const bundle = await bundleFixture("test/promises/fixtures/waiter.ts");
  await expectFairness(bundle, figure(80, 2000), { TT_STORE: url });
  bundle.remove();
});

type TurnOf = Turn & { readonly agent: string };

async function expectFairness(bundle: Bundle, turns: number, store: Readonly<Record<string, string>>): Promise<void> {
  const seed = freshSeed();
  const { taken, troubles } = await runWaiters(bundle, turns, seed, store);
  console.info(`S7 seed ${seed}: ${figures(taken)}`);
  expect(troubles, `seed ${seed}`).toEqual([]);
  expect(taken.map(({ turnId }) => turnId)).toEqual(taken.map((_, index) => index + 2));
  expect(unfairTurns(taken), `seed ${seed}`).toEqual([]);
  const counts = [...turnsOf(taken).values()];
  const mean = taken.length / WAITERS;
  expect(counts.length).toBe(WAITERS);
  expect(Math.min(...counts), `seed ${seed}: turns of each ${counts.join(", ")}`).toBeGreaterThanOrEqual(mean / 2);
  expect(Math.max(...counts), `seed ${seed}: turns of each ${counts.join(", ")}`).toBeLessThanOrEqual(mean * 2);
}

/** Every case in which a waiter saw the same other agent being preferred twice. */
function unfairTurns(taken: readonly TurnOf[]): string[] {
  return taken.flatMap((turn, index) => {
    if (turn.queuedAt === null) return [];
    const { queuedAt, agent } = turn;
    // A holder that began to hand over after this agent was in the queue saw it when it chose the next one.
    const first = taken.findLastIndex((other, place) => place < index && other.endedAt <= queuedAt) + 2;
    const preferred = taken.slice(first, index).filter(({ reason }) => reason !== "direct_pass");
    const names = preferred.map((other) => other.agent);
    const twice = names.filter((name, place) => names.indexOf(name) !== place);
    return twice.map((name) => `${agent} waited for turn ${turn.turnId} and ${name} was preferred twice`);
  });
}

/** One waiter holds the stick while the others queue up; then it goes round until the last turn. */
async function runWaiters(bundle: Bundle, turns: number, seed: number, store: Readonly<Record<string, string>>) {
  const directory = quickDirectory();
  const path = join(directory, "tree");
  mkdirSync(path);
  const env = { ...store, TT_DATA_DIR: join(directory, "data"), HOME: directory };
  const release = await holdFirstTurn(path, env);
  const agents = Array.from({ length: WAITERS }, (_, index) => `waiter${index}`);
  const queue = new Set<string>();
  const taken: TurnOf[] = [];
  const troubles: string[] = [];
  const hear = async (agent: string, message: WaiterMessage): Promise<void> => {
    if ("turn" in message) taken.push({ ...message.turn, agent });
    if ("trouble" in message) troubles.push(message.trouble);
    if (!("queued" in message) || queue.size === WAITERS) return;
    queue.add(agent);
    if (queue.size === WAITERS) await release();
  };
  await Promise.all(
    agents.map(async (agent, index) => {
      const peers = agents.filter((other) => other !== agent);
      const plan: WaiterPlan = { agent, peers, path, seed: seed + index, lastTurn: turns, passChance: 0.05 };
      const process = startFixture(bundle, [JSON.stringify(plan)], { env });
      for await (const message of process.lines()) await hear(agent, message as WaiterMessage);
      const { code, stderr } = await process.ended;
      expect(code, stderr).toBe(0);
    }),
  );
  return { taken: taken.toSorted((a, b) => a.turnId - b.turnId), troubles };
}

/** Takes turn 1 before anybody else is there; the answer gives it away. */
async function holdFirstTurn(path: string, env: Readonly<Record<string, string>>): Promise<() => Promise<void>> {
  const stick = await openService({ agentId: "starter", env });
  if (isRefusal(stick)) throw new Error(stick.message);
  const joined = await stick.joinPath({ contextPath: path });
  if (isRefusal(joined)) throw new Error(joined.message);
  const { roomId } = joined;
  const answer = await stick.waitForTurn({ roomId, maxWaitMs: 0 });
  if (isRefusal(answer) || answer.status !== "your_turn") throw new Error(`no first turn: ${JSON.stringify(answer)}`);
  return async () => {
    const handoff = { status: "all are in the queue", nextAction: "take turns" };
    await stick.releaseStick({ roomId, leaseId: answer.leaseId, expectedTurnId: answer.turnId, handoff });
    await stick.close();
  };
}

function turnsOf(taken: readonly TurnOf[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { agent } of taken) counts.set(agent, (counts.get(agent) ?? 0) + 1);
  return counts;
}

function figures(taken: readonly TurnOf[]): string {
  const counts = [...turnsOf(taken).values()];
  const worstMs = Math.max(...taken.map(({ askedAt, grantedAt }) => (grantedAt - askedAt) / NS_PER_MS));
  const spanMs = ((taken.at(-1)?.grantedAt ?? 0) - (taken[0]?.grantedAt ?? 0)) / NS_PER_MS;
  const passes = taken.filter(({ reason }) => reason === "direct_pass").length;
  const rate = ((taken.length - 1) / spanMs) * 1000;
  return `${taken.length} turns, ${passes} by a pass, ${Math.min(...counts)} to ${Math.max(...counts)} each, ${rate.toFixed(1)} turns/s, worst wait ${Math.round(worstMs)} ms`;
}
