/**
 * W1. Fifty processes wait for a turn that does not come. What they cost is read from the kernel: the bytes they
 * write, the processor time they use, and whether anybody committed or touched the database.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import { loadSqliteDriver } from "../../src/store/sqlite/driver.ts";
import type { AgentProcess } from "../support/agent-process.ts";
import { AgentRoom } from "../support/agent-room.ts";
import type { Bundle } from "../support/fixture.ts";
import { inParallel } from "../support/in-parallel.ts";
import { bundleSqliteFixture } from "../support/sqlite-fixture.ts";
import { groundAt } from "../support/sqlite-world.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { verifies } from "./verifies.ts";

const WAITERS = 50;
const CPU_SHARE_MAX = 0.001;
const SETTLING_MS = 20_000;
/** One window, as long as it takes for a single disturbance not to count. */
const windowMs = 60_000;

let bundle: Bundle;
beforeAll(async () => {
  bundle = await bundleSqliteFixture("stick-agent");
});
afterAll(() => bundle.remove());

interface Written {
  /** Bytes sent to disks. */
  readonly toDisk: number;
  readonly bytes: number;
  readonly writes: number;
}

function writtenBy(pid: number): Written {
  const text = readFileSync(`/proc/${pid}/io`, "utf8");
  const counter = (name: string) => Number(new RegExp(`^${name}: (\\d+)$`, "m").exec(text)?.[1]);
  return { toDisk: counter("write_bytes"), bytes: counter("wchar"), writes: counter("syscw") };
}

/** Nanoseconds on a processor, all threads together. */
function cpuNsOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const used = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]),
  );
  return used.reduce((sum, ns) => sum + ns, 0);
}

function footprint(database: string) {
  return [database, `${database}-wal`].map((file) => {
    const { size, mtimeNs } = statSync(file, { bigint: true });
    return { file, size, mtimeNs };
  });
}

/** A connection of our own; its number changes when anybody else commits. */
function commitsOfOthers(database: string): () => unknown {
  const handle = loadSqliteDriver()(database);
  onTestFinished(() => handle.close());
  return () => handle.prepare("PRAGMA data_version").get()?.["data_version"];
}

/** The runtime wakes its own event loop by writing to a counter in memory, eight bytes each time. Nothing else counts. */
const WAKE_UP_BYTES = 8;

function expectNothingWritten(before: Written, after: Written): void {
  expect(after.toDisk - before.toDisk).toBe(0);
  expect(after.bytes - before.bytes).toBe((after.writes - before.writes) * WAKE_UP_BYTES);
}

function pass(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** How much of one processor each of them used while the time passed, and that none of them wrote anything. */
async function sharesOver(ms: number, agents: readonly AgentProcess[], database: string): Promise<readonly number[]> {
  const commits = commitsOfOthers(database);
  const before = agents.map(({ pid }) => ({ written: writtenBy(pid), cpuNs: cpuNsOf(pid) }));
  const [files, committed, startedAt] = [footprint(database), commits(), process.hrtime.bigint()];
  await pass(ms);
  const elapsedNs = Number(process.hrtime.bigint() - startedAt);
  const after = agents.map(({ pid }) => ({ written: writtenBy(pid), cpuNs: cpuNsOf(pid) }));
  expect(footprint(database)).toEqual(files);
  expect(commits()).toBe(committed);
  return after.map(({ written, cpuNs }, index) => {
    const was = before[index]!;
    expectNothingWritten(was.written, written);
    return (cpuNs - was.cpuNs) / elapsedNs;
  });
}

function totalOf(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(3)} %`;
}

verifies(
  "W1",
  `${WAITERS} idle waiters write nothing, and use ${CPU_SHARE_MAX * 100} % of a processor each`,
  async () => {
    const ground = groundAt(join(temporaryDirectory(), "ground"));
    const room = new AgentRoom(bundle, ground);
    const holder = await room.enter("agent:holder");
    await room.take(holder);
    const waiters: AgentProcess[] = [];
    const answers: unknown[] = [];
    const names = Array.from({ length: WAITERS }, (_, index) => `agent:waiter-${index}`);
    await inParallel(4, names, async (name) => {
      const waiter = await room.enter(name);
      waiters.push(waiter);
      void room.wait(waiter, 3_600_000).then(
        ({ answer }) => answers.push(answer),
        () => undefined,
      );
    });
    await room.untilWaiting(holder, WAITERS);
    // What has just started still compiles, and when it falls idle the runtime tidies its memory up, once.
    await pass(SETTLING_MS);
    const shares = await sharesOver(windowMs, waiters, ground.database);
    console.log(`W1: the busiest used ${percent(Math.max(...shares))}, all together ${percent(totalOf(shares))}`);
    expect(answers).toEqual([]);
    expect(shares.filter((share) => share > CPU_SHARE_MAX)).toEqual([]);
  },
);
