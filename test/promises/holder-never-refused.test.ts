/**
 * Goal: the guard never refuses the holder, and never allows a session that asks after the stick moved.
 * Method: real processes on a real store take the stick and give it back, and ask the real script at each step. They are
 * killed between mark and commit, after the commit and while a pass is written. Then the built program answers as
 * harnesses ask it, while some of its processes are killed. Last, a planted bug must be noticed.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, existsSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, inject } from "vitest";
import { hookScript } from "../../src/harness/hook-script.ts";
import { type Bundle, startFixture } from "../support/fixture.ts";
import { SeededRandom } from "../support/random.ts";
import { idOf } from "../support/session-clues.ts";
import { bundleSqliteFixture } from "../support/sqlite-fixture.ts";
import { accepted, actor, type Ground, groundAt, openWorld } from "../support/sqlite-world.ts";
import { quickDirectory } from "../support/temporary-directory.ts";
import type { Death, MoverLine, MoverOrder } from "./fixtures/guard-mover.ts";
import { type PlantedBug, plant } from "./linearizability/plant.ts";
import { figure, freshSeed, verifies } from "./verifies.ts";

/** The stick moves when it is claimed and when it is released. */
const MOVES = figure(10_000, 1_000_000);
const WORLDS = 2;
const MOVERS = 2;
const DEATHS: readonly Death[] = ["before the commit", "after the commit", "while a pass is written"];
const MOST_TURNS_OF_A_LIFE = 150;

interface GuardedGround {
  readonly ground: Ground;
  readonly roomId: string;
  readonly sessions: readonly string[];
}

/** Without a repository, because what git sees of a turn does not matter here and takes long. */
async function guardedGround(sessions: readonly string[]): Promise<GuardedGround> {
  const ground = groundAt(quickDirectory());
  const deps = await openWorld(ground);
  const person = actor(deps, "human:me", { isPerson: true });
  const { roomId } = accepted(await person.joinPath({ contextPath: ground.tree }));
  accepted(await person.changePolicy({ roomId, changes: { guard: "strict" } }));
  await deps.store.close();
  return { ground, roomId, sessions };
}

function installScript({ dataDir }: Ground, programs: { readonly node: string; readonly hookProgram: string }): string {
  const path = join(dirname(dataDir), "tt-hook");
  writeFileSync(path, hookScript({ version: "0.0.0", ...programs, dataDir }));
  chmodSync(path, 0o700);
  return path;
}

interface Seen {
  turns: number;
  byPass: number;
  deaths: number;
  readonly wrong: string[];
}

/** One agent, in one process after the other: each dies in one of its turns, until all turns are done. */
async function keepMoving(bundle: Bundle, order: Omit<MoverOrder, "dies">, seen: Seen): Promise<void> {
  const random = new SeededRandom(order.seed);
  const longest = Math.min(MOST_TURNS_OF_A_LIFE, Math.ceil(order.turns / 3));
  for (let left = order.turns, life = 0; left > 0; life += 1) {
    const dies = { turn: random.between(1, longest), at: DEATHS[life % DEATHS.length] ?? "before the commit" };
    const thisLife: MoverOrder = { ...order, turns: left, dies, seed: order.seed + life };
    const mover = startFixture(bundle, [JSON.stringify(thisLife)]);
    for await (const line of mover.lines()) {
      const { byPass, wrong } = line as MoverLine;
      if (wrong !== undefined) seen.wrong.push(`${wrong} (${JSON.stringify(dies)})`);
      if (byPass === undefined) continue;
      left -= 1;
      seen.turns += 1;
      seen.byPass += byPass ? 1 : 0;
    }
    const { signal, code, stderr } = await mover.ended;
    expect([signal ?? code, stderr]).toEqual([signal === null ? 0 : "SIGKILL", ""]);
    if (signal !== null) seen.deaths += 1;
  }
}

async function moveInWorlds(bundle: Bundle, moves: number, seed: number): Promise<Seen> {
  const seen: Seen = { turns: 0, byPass: 0, deaths: 0, wrong: [] };
  const turns = Math.ceil(moves / 2 / WORLDS / MOVERS);
  const agents = [...Array(WORLDS).keys()].map(async (world) => {
    const { ground, roomId, sessions } = await guardedGround(
      [...Array(MOVERS).keys()].map((each) => `session-${each}`),
    );
    const script = installScript(ground, { node: "/bin/echo", hookProgram: "/bin/echo" });
    const movers = sessions.map((sessionId, index) => {
      const rivals = sessions.filter((other) => other !== sessionId);
      const order = { ground, roomId, script, sessionId, rivals, turns, seed: seed + 1000 * world + 100 * index };
      return keepMoving(bundle, order, seen);
    });
    await Promise.all(movers);
    // What killed processes left beside a pass is all that may be there besides.
    const passes = readdirSync(join(ground.dataDir, "guard/pass"));
    expect(passes.filter((name) => !name.includes(".tt-new-")).toSorted()).toEqual(sessions);
  });
  await Promise.all(agents);
  return seen;
}

verifies("G2", `${MOVES} moves, by processes that are killed at each step`, async () => {
  const seed = freshSeed();
  const bundle = await bundleSqliteFixture("guard-mover");
  const started = performance.now();
  const { turns, byPass, deaths, wrong } = await moveInWorlds(bundle, MOVES, seed);
  bundle.remove();
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.info(`G2 seed ${seed}: ${turns} turns, ${byPass} by a pass, ${deaths} deaths, ${seconds} s`);
  expect(wrong.slice(0, 10), `seed ${seed}`).toEqual([]);
  // A run in which nothing happened proves nothing.
  expect(byPass).toBeGreaterThan(turns / 4);
  expect(deaths).toBeGreaterThan(WORLDS * MOVERS * DEATHS.length);
});

const MARK_AFTER_COMMIT: PlantedBug = {
  name: "the mark is made after the commit",
  edits: [
    {
      file: "engine/commit.ts",
      find: "if (decision) beforeMove(deps, loaded.room, decision.change.room);",
      replace: "",
    },
    {
      file: "engine/commit.ts",
      find: "if (!changed) return null;",
      replace: "if (!changed) return null;\nbeforeMove(deps, changed.before, changed.decision.change.room);",
    },
  ],
};

const EVERY_PASS_COUNTS: PlantedBug = {
  name: "no mark is ever made",
  edits: [
    {
      file: "app/around-commit.ts",
      find: "if (holder !== null) guard.markOver",
      replace: "if (holder === 'nobody') guard.markOver",
    },
  ],
};

for (const bug of [MARK_AFTER_COMMIT, EVERY_PASS_COUNTS]) {
  verifies("G2", `it would be noticed that ${bug.name}`, async () => {
    const seed = freshSeed();
    const bundle = await bundleSqliteFixture("guard-mover", [plant(bug)]);
    const { wrong } = await moveInWorlds(bundle, 160, seed);
    bundle.remove();
    console.info(`G2 seed ${seed}: ${bug.name}: ${wrong.length} wrong answers, such as: ${wrong[0]}`);
    expect(wrong.length, `seed ${seed}`).toBeGreaterThan(0);
  });
}

const ROUNDS = figure(60, 5000);
const [ANN, BOB] = ["898509a1-5dab-4f24-a4e9-7b7158c02f3e", "01a1de4f-f37c-7292-8a4a-8ad18c8e90ee"];

/** A hook as a harness runs it, in a process group of its own. */
function startHook(script: string, { tree, env }: Ground, sessionId: string): ChildProcess {
  const variables = { CLAUDECODE: "1", CLAUDE_CODE_SESSION_ID: sessionId, TT_HOOK_DEADLINE_MS: "60000" };
  const hook = spawn(script, ["claude", "guard"], {
    cwd: tree,
    env: { PATH: env["PATH"], HOME: env["HOME"], ...variables },
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  hook.stdin?.on("error", () => undefined);
  const tool = { tool_name: "Write", tool_input: { file_path: join(tree, "x"), content: "" } };
  hook.stdin?.end(JSON.stringify({ session_id: sessionId, cwd: tree, ...tool }));
  return hook;
}

function codeOf(hook: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => {
    hook.once("close", (code) => resolve(code));
  });
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // It has answered already.
  }
}

verifies("G2", `the built program answers in ${ROUNDS} turns, and some of its processes are killed`, async () => {
  const seed = freshSeed();
  const random = new SeededRandom(seed);
  const { ground, roomId } = await guardedGround([ANN, BOB]);
  const hookProgram = join(dirname(inject("tt")), "hook.cjs");
  const script = installScript(ground, { node: process.execPath, hookProgram });
  const deps = await openWorld(ground);
  const ann = actor(deps, idOf("claude", ANN), { sessionId: ANN });
  const ask = (sessionId: string) => codeOf(startHook(script, ground, sessionId));
  const expected = { holder: 0, other: 2, former: 2 };
  for (let round = 0; round < ROUNDS; round += 1) {
    const turn = accepted(await ann.waitForTurn({ roomId, maxWaitMs: 0 }));
    if (turn.status !== "your_turn") throw new Error(turn.status);
    const doomed = startHook(script, ground, ANN);
    const killed = codeOf(doomed);
    const timer = setTimeout(() => killGroup(doomed), random.between(1, 120));
    const [holder, other] = await Promise.all([ask(ANN), ask(BOB)]);
    const token = { roomId, leaseId: turn.leaseId, expectedTurnId: turn.turnId };
    accepted(await ann.releaseStick({ ...token, handoff: { status: "x", nextAction: "y" } }));
    const former = await ask(ANN);
    expect({ holder, other, former }, `seed ${seed}, round ${round}`).toEqual(expected);
    await killed;
    clearTimeout(timer);
  }
  await deps.store.close();
  expect(existsSync(join(ground.dataDir, "hook.log"))).toBe(false);
});
