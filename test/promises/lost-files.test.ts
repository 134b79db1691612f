/**
 * Goal: files of the store that are cut, overwritten or removed under running processes cost nobody what was acknowledged,
 * unless the files that hold it were themselves lost, and end no process without a word.
 * Method: two processes have the store open, one of them perhaps at work; then something happens to one file, and those
 * two and others go on in a seeded order.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, rmSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { FAULT_CODES } from "../../src/core/fault.ts";
import { McpWorld } from "../mcp/support/mcp-world.ts";
import { type Bundle, type RunningFixture, startFixture } from "../support/fixture.ts";
import { inParallel } from "../support/in-parallel.ts";
import { SeededRandom } from "../support/random.ts";
import { bundleSqliteFixture } from "../support/sqlite-fixture.ts";
import { type Ground, groundAt } from "../support/sqlite-world.ts";
import { quickDirectory } from "../support/temporary-directory.ts";
import type { UserOrder, UserReport } from "./fixtures/store-user.ts";
import { figure, freshSeed, verifies } from "./verifies.ts";

const FILES = ["tt.db", "tt.db-wal", "tt.db-shm"] as const;
const HAPPENINGS = ["cut", "overwritten", "removed"] as const;
const TYPED: ReadonlySet<string> = new Set(["ok", ...FAULT_CODES]);
const AT_ONCE = 2;

let fixture: Bundle;
beforeAll(async () => {
  fixture = await bundleSqliteFixture("store-user");
});
afterAll(() => fixture.remove());

/** A process that uses the store, and everything that it said. */
class User {
  readonly name: string;
  readonly running: RunningFixture;
  readonly said: UserReport[] = [];
  readonly #lines: AsyncIterableIterator<unknown>;

  constructor(ground: Ground, name: string) {
    this.name = name;
    this.running = startFixture(fixture, [JSON.stringify(ground), name]);
    this.#lines = this.running.lines();
  }

  /** Null when the process has ended. */
  async next(): Promise<UserReport | null> {
    const { value, done } = await this.#lines.next();
    if (done) return null;
    this.said.push(value as UserReport);
    return value as UserReport;
  }

  async does(order: UserOrder): Promise<UserReport | null> {
    this.running.send(order);
    for (;;) {
      const report = await this.next();
      if (report === null || report.order === order) return report;
    }
  }

  get acknowledged(): readonly string[] {
    return this.said.filter(({ order }) => order !== "notes").flatMap(({ bodies }) => bodies);
  }
}

interface Round {
  readonly seed: number;
  readonly file: (typeof FILES)[number];
  readonly happening: (typeof HAPPENINGS)[number];
}

/** All combinations, again and again. */
function roundsFrom(seed: number, count: number): readonly Round[] {
  const all = FILES.flatMap((file) => HAPPENINGS.map((happening) => ({ file, happening })));
  return Array.from({ length: count }, (_, index) => {
    const { file, happening } = all[index % all.length] as (typeof all)[number];
    return { seed: seed + index, file, happening };
  });
}

function happen({ file, happening }: Round, { dataDir }: Ground, backup: string, random: SeededRandom): string {
  const path = join(dataDir, file);
  if (happening === "removed") rmSync(path);
  else if (happening === "overwritten") copyFileSync(backup, path);
  else {
    const { size } = statSync(path);
    const left = Math.min(size, random.pick([0, 1, 100, 4096, 20_000, size - 1]));
    truncateSync(path, left);
    return `cut to ${left} of ${size}`;
  }
  return happening;
}

/** Whether what was acknowledged is in the files that are left. */
function keepsAll({ file, happening }: Round): boolean {
  return (file === "tt.db-shm" && happening !== "overwritten") || (file === "tt.db-wal" && happening === "removed");
}

async function play(round: Round, root: string): Promise<readonly object[]> {
  const random = new SeededRandom(round.seed);
  const ground = groundAt(join(root, String(round.seed)));
  const [ann, bob] = [new User(ground, "claude:ann"), new User(ground, "codex:bob")];
  const users = [ann, bob];
  for (const user of users) expect(await user.does("open")).toMatchObject({ outcome: "ok" });
  for (let count = random.between(1, 12); count > 0; count -= 1) await random.pick(users).does("note");
  const backup = join(root, `${round.seed}.backup`);
  copyFileSync(join(ground.dataDir, round.file), backup);
  for (let count = random.between(1, 12); count > 0; count -= 1) await random.pick(users).does("note");
  const isBusy = random.chance(0.4);
  if (isBusy) {
    bob.running.send("busy");
    await bob.next();
  }
  const what = happen(round, ground, backup, random);
  const later = new User(ground, "gemini:cy");
  users.push(later);
  const steps: (() => Promise<unknown>)[] = [
    async () => (await later.does("open")) && (await later.does("note")),
    () => ann.does("note"),
    () => bob.does("note"),
    () => ann.does("notes"),
  ];
  while (steps.length > 0) await steps.splice(random.between(0, steps.length - 1), 1)[0]?.();
  await later.does("note");
  // As `tt doctor` advises: the processes end, and others begin.
  for (const user of users) await user.does("end");
  const ends = await Promise.all(users.map(async ({ running }) => running.ended));
  const heir = new User(ground, "claude:dee");
  const opened = await heir.does("open");
  const read = opened?.outcome === "ok" ? await heir.does("notes") : opened;
  await heir.does("end");
  const played = { users: [...users, heir], ends: [...ends, await heir.running.ended], isBusy, read };
  for (const path of [join(root, String(round.seed)), backup]) rmSync(path, { recursive: true });
  const problems = problemsOf(round, played);
  return problems.length === 0 ? [] : [{ ...round, what, isBusy, problems, story: storyOf(played) }];
}

interface Played {
  readonly users: readonly User[];
  readonly ends: readonly { readonly code: number | null; readonly signal: string | null; readonly stderr: string }[];
  readonly isBusy: boolean;
  readonly read: UserReport | null;
}

function problemsOf(round: Round, { users, ends, isBusy, read }: Played): readonly string[] {
  const problems: string[] = [];
  for (const [index, user] of users.entries()) {
    const { code, signal, stderr } = ends[index] as Played["ends"][number];
    // A process that was at work when its shared memory was cut cannot be saved.
    const mayDie = user.name === "codex:bob" && isBusy && round.file === "tt.db-shm" && round.happening !== "removed";
    const ended = code === 0 && stderr === "";
    if (!ended && !(mayDie && signal === "SIGBUS")) problems.push(`${user.name} ended: ${code} ${signal} ${stderr}`);
    for (const { outcome } of user.said) if (!TYPED.has(outcome)) problems.push(`${user.name}: ${outcome}`);
  }
  if (!keepsAll(round)) return problems;
  if (read?.outcome !== "ok") problems.push(`the store stays ${read?.outcome}`);
  const lost = users.flatMap((user) => user.acknowledged).filter((body) => !read?.bodies.includes(body));
  if (lost.length > 0) problems.push(`lost: ${lost.map(short).join(", ")}`);
  // Nothing was damaged, so nothing is to be restored.
  const advice = users.flatMap(({ said }) => said.map(({ next = "" }) => next));
  return [...problems, ...advice.filter((next) => /^(?!End ).*backup/i.test(next))];
}

function storyOf({ users }: Played): string {
  const lines = users.map(({ name, said }) =>
    [name, ...said.map(({ order, outcome, bodies }) => `${order} ${outcome} ${bodies.length}`)].join("; "),
  );
  return lines.join("\n");
}

function short(body: string): string {
  return body.replace(/n+$/, "");
}

const rounds = figure(50, 2000);

verifies("P5", `${rounds} times something happens to a file`, async () => {
  const seed = freshSeed();
  console.log(`P5 seed ${seed}`);
  const root = quickDirectory();
  const failed: object[] = [];
  await inParallel(AT_ONCE, roundsFrom(seed, rounds), async (round) => {
    failed.push(...(await play(round, root)));
  });
  expect(failed).toEqual([]);
});

interface Finding {
  readonly name: string;
  readonly level: string;
  readonly text: string;
  readonly next?: string;
}

function tt(world: McpWorld, ...words: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [world.program, ...words, "--json"], {
    cwd: world.tree,
    env: world.env({ TT_AGENT_ID: "b:2" }),
    encoding: "utf8",
  });
  return { code: status, answer: JSON.parse(stdout || stderr) as Record<string, unknown> };
}

function processesIn({ answer }: ReturnType<typeof tt>): readonly Finding[] {
  return (answer["findings"] as Finding[]).filter(({ name }) => name === "process");
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function serverWithNote() {
  const world = new McpWorld();
  const server = await world.connect("a:1");
  await server.done("add_note", { body: "acknowledged" });
  return { world, server };
}

describe.skipIf(process.platform !== "linux")("with a server that runs", () => {
  for (const file of FILES) {
    verifies("P5", `doctor names the process to end when ${file} was removed`, async () => {
      const { world, server } = await serverWithNote();
      expect(processesIn(tt(world, "doctor"))).toEqual([]);
      rmSync(join(world.data, file));
      const diagnosed = tt(world, "doctor");
      expect(diagnosed.code).toBe(70);
      expect(processesIn(diagnosed)).toMatchObject([
        {
          level: "broken",
          next: `kill ${server.pid}`,
          text: expect.stringMatching(/tt\.cjs mcp --tools all, a:1\)/) as string,
        },
      ]);
      const { pid } = server;
      expect(spawnSync("sh", ["-c", processesIn(diagnosed)[0]?.next ?? ""]).status).toBe(0);
      await expect.poll(() => isRunning(pid)).toBe(false);
      expect(processesIn(tt(world, "doctor"))).toEqual([]);
      // Without the database there is nothing left to be read, and nothing is made in its place.
      if (file === "tt.db") expect(tt(world, "notes")).toMatchObject({ code: 70, answer: { error: "store_unsafe" } });
      else expect(tt(world, "notes").answer).toMatchObject({ notes: [{ body: "acknowledged" }] });
    });
  }

  verifies("P5", "it goes on by itself when its log was removed, and so do others", async () => {
    const { world, server } = await serverWithNote();
    rmSync(join(world.data, "tt.db-wal"));
    const refused = tt(world, "notes");
    expect(refused).toMatchObject({ code: 70, answer: { error: "store_unsafe", holder_pids: [server.pid] } });
    expect(await server.call("list_notes")).toMatchObject({ isError: true, answer: { error: "store_unsafe" } });
    await server.done("add_note", { body: "afterwards" });
    expect(tt(world, "notes").answer).toMatchObject({ notes: [{ body: "acknowledged" }, { body: "afterwards" }] });
  });
});
