/**
 * Goal: damage to the files is told, or does no harm; it never ends a process, hangs it, or makes the store a new one.
 * Method: children spoil copies of a store in seeded ways and use them; the parent watches from outside.
 */
import { lstatSync, mkdirSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import { FAULT_CODES } from "../../src/core/fault.ts";
import { loadSqliteDriver, type SqliteDriver } from "../../src/store/sqlite/driver.ts";
import { withDatabase } from "../support/database-dump.ts";
import { type Bundle, startFixture } from "../support/fixture.ts";
import { inParallel } from "../support/in-parallel.ts";
import { bundleSqliteFixture } from "../support/sqlite-fixture.ts";
import { accepted, actor, copyData, groundAt, groundWith, openWorld } from "../support/sqlite-world.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import type { DamageOrder, DamageReport } from "./fixtures/durable-damage.ts";
import { figure, freshSeed, verifies } from "./verifies.ts";

const BATCH = 50;
const SILENCE_MS = 120_000;
const TYPED: ReadonlySet<string> = new Set(FAULT_CODES);

let fixture: Bundle;
beforeAll(async () => {
  fixture = await bundleSqliteFixture("durable-damage");
});
afterAll(() => fixture.remove());

/** A store with something in every table, on several pages, partly in the write-ahead log alone. */
async function makeStores(root: string): Promise<Omit<DamageOrder, "seeds" | "work">> {
  const ground = groundAt(root);
  const deps = await openWorld(ground);
  const agents = ["claude:ann", "codex:bob", "gemini:cy"].map((id) => actor(deps, id));
  const ids: string[] = [];
  let roomId = "";
  for (const agent of agents) roomId = accepted(await agent.joinPath({ contextPath: ground.tree })).roomId;
  const live = async (count: number) => {
    for (let round = 0; round < count; round += 1) {
      for (const agent of agents) {
        const answer = accepted(await agent.waitForTurn({ roomId, maxWaitMs: 1 }));
        ids.push(accepted(await agent.addNote({ roomId, body: `${round} ${"n".repeat(500)}` })).noteId);
        if (answer.status !== "your_turn") continue;
        const token = { leaseId: answer.leaseId, expectedTurnId: answer.turnId };
        accepted(await agent.releaseStick({ roomId, ...token, handoff: { status: `${round}`, nextAction: "on" } }));
      }
    }
  };
  await live(12);
  const [closed, crashed] = [join(root, "closed"), join(root, "crashed")];
  withDatabase(ground.database, (handle) => handle.exec("PRAGMA wal_checkpoint(TRUNCATE)"));
  copyData(ground.dataDir, closed);
  for (const companion of ["tt.db-wal", "tt.db-shm"]) rmSync(join(closed, companion), { force: true });
  await live(6);
  copyData(ground.dataDir, crashed);
  await deps.store.close();
  return { ground, stores: [closed, crashed], roomId, noteId: ids[0] ?? "" };
}

/** Runs one child to its end. A child that dies or falls silent fails the test with the seed it was at. */
async function runBatch(order: DamageOrder): Promise<DamageReport[]> {
  const running = startFixture(fixture, [JSON.stringify(order)]);
  const reports: DamageReport[] = [];
  let at: number | undefined;
  let hung = false;
  const hang = () => {
    hung = true;
    running.child.kill("SIGKILL");
  };
  let watchdog = setTimeout(hang, SILENCE_MS);
  for await (const line of running.lines()) {
    clearTimeout(watchdog);
    watchdog = setTimeout(hang, SILENCE_MS);
    if ("begin" in (line as object)) at = (line as { begin: number }).begin;
    else reports.push(line as DamageReport);
  }
  clearTimeout(watchdog);
  const ended = await running.ended;
  expect({ at, hung, ...ended }).toEqual({ at, hung: false, code: 0, signal: null, stderr: "" });
  expect(reports.length).toBe(order.seeds.length);
  return reports;
}

/** Calls that ended in neither an answer nor a fault that has a name. */
function broken({ outcomes }: DamageReport): string[] {
  return Object.entries(outcomes)
    .filter(([, outcome]) => outcome.startsWith("broken"))
    .map(([name, outcome]) => `${name}: ${outcome}`);
}

/** Nobody was told of anything, and yet nothing is left of what the store held. */
function silentlyEmptied({ outcomes, rowsLeft }: DamageReport): boolean {
  const [first] = Object.values(outcomes).filter((outcome) => TYPED.has(outcome));
  return first === undefined && rowsLeft !== null && rowsLeft < 20;
}

const cases = figure(300, 10_000);

verifies("D5", `${cases} stores are spoiled and used`, async () => {
  const seed = freshSeed();
  console.log(`D5 seed ${seed}`);
  const root = temporaryDirectory();
  const stores = await makeStores(root);
  const work = join(root, "work");
  mkdirSync(work);
  const seeds = Array.from({ length: cases }, (_, index) => seed + index);
  const batches = Array.from({ length: Math.ceil(cases / BATCH) }, (_, index) =>
    seeds.slice(index * BATCH, (index + 1) * BATCH),
  );
  const reports: DamageReport[] = [];
  await inParallel(2, batches, async (batch) => {
    reports.push(...(await runBatch({ ...stores, work, seeds: batch })));
  });
  const told = reports.filter(({ outcomes }) => Object.values(outcomes).some((outcome) => TYPED.has(outcome)));
  console.log(`D5 ${reports.length} cases, ${told.length} of them noticed`);
  expect(reports.filter((report) => broken(report).length > 0)).toEqual([]);
  expect(reports.filter(silentlyEmptied)).toEqual([]);
  expect(told.length).toBeGreaterThan(0);
});

for (const bytes of [0, 1]) {
  verifies("D5", `a database of which ${bytes} bytes are left is not taken for a new one`, async () => {
    const root = temporaryDirectory();
    const { stores, ground } = await makeStores(root);
    for (const [index, store] of stores.entries()) {
      const cut = groundWith(ground, join(root, `cut-${index}`));
      copyData(store, cut.dataDir);
      truncateSync(cut.database, bytes);
      await expect(openWorld(cut)).rejects.toMatchObject({ code: "store_corrupt" });
      expect(lstatSync(cut.database).size).toBe(bytes);
    }
  });
}

verifies("D5", "a database that its user has removed is created again", async () => {
  const { ground } = await makeStores(temporaryDirectory());
  for (const name of ["tt.db", "tt.db-wal", "tt.db-shm"]) rmSync(join(ground.dataDir, name), { force: true });
  const deps = await openWorld(ground);
  expect(accepted(await actor(deps, "claude:ann").listRooms({})).rooms).toEqual([]);
  await deps.store.close();
});

verifies("D5", "a room that one index knows and the other does not is damage", async () => {
  const { ground } = await makeStores(temporaryDirectory());
  const real = loadSqliteDriver();
  const forgetful: SqliteDriver = (file) => {
    const handle = real(file);
    const prepare: typeof handle.prepare = (sql) => {
      const statement = handle.prepare(sql);
      const lost = sql.includes("r.room_id = ?");
      return {
        get: (...params) => (lost ? undefined : statement.get(...params)),
        all: (...params) => (lost ? [] : statement.all(...params)),
        run: (...params) => statement.run(...params),
      };
    };
    return { exec: (sql) => handle.exec(sql), prepare, close: () => handle.close() };
  };
  const deps = await openWorld(ground, { driver: forgetful });
  const joining = actor(deps, "codex:bob").joinPath({ contextPath: ground.tree });
  await expect(joining).rejects.toMatchObject({ code: "store_corrupt" });
  await deps.store.close();
});
