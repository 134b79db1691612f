/**
 * Goal: a command that fails or dies half-way leaves nothing behind, and one that was committed is there whole.
 * Method: each changing call is made to fail, and its process is killed, at each of its statements in turn.
 */
import { cpSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { Fault } from "../../src/ports/fault.ts";
import type { SqliteHandle } from "../../src/store/sqlite/driver.ts";
import { CALL_SETTINGS, CHANGING_CALLS, type ChangingCall, type Told } from "../support/changing-calls.ts";
import { comparable, type Dump, dumpDatabase } from "../support/database-dump.ts";
import { Failpoint, type Point, sqliteError } from "../support/failpoint.ts";
import { type Bundle, startFixture } from "../support/fixture.ts";
import { inParallel } from "../support/in-parallel.ts";
import { bundleSqliteFixture } from "../support/sqlite-fixture.ts";
import { accepted, type Ground, groundAt, groundWith, openWorld } from "../support/sqlite-world.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { watchedDriver } from "../support/watched-driver.ts";
import type { CallOrder } from "./fixtures/durable-call.ts";
import { verifies } from "./verifies.ts";

const SQLITE_FULL = 13;
const SQLITE_IOERR_WRITE = 778;
const SQLITE_IOERR_FSYNC = 1034;

/** How SQLite fails: some errors end the statement alone, others roll the whole transaction back by themselves. */
const FAILURES: Readonly<Record<string, (handle: SqliteHandle) => void>> = {
  "the disk is full": () => {
    throw sqliteError("database or disk is full", SQLITE_FULL);
  },
  "the disk fails and SQLite rolls back": (handle) => {
    try {
      handle.exec("ROLLBACK");
    } catch {
      // Outside of a transaction there is nothing to roll back.
    }
    throw sqliteError("disk I/O error", SQLITE_IOERR_WRITE);
  },
};

/** The last step of a commit is to make it outlive a power cut; when that fails, the change may be there or not. */
function failedSync(): void {
  throw sqliteError("disk I/O error", SQLITE_IOERR_FSYNC);
}

/** A store where the call is about to be made, and what a call that goes well makes of it. */
interface Stage {
  readonly ground: Ground;
  readonly told: Told;
  readonly before: Dump;
  readonly after: unknown;
  /** How many statements the call needs, its commit included. */
  readonly statements: number;
}

async function setStage(call: ChangingCall): Promise<Stage> {
  const ground = groundAt(temporaryDirectory(), CALL_SETTINGS);
  const deps = await openWorld(ground);
  const told = await call.prepare(deps, ground);
  await deps.store.close();
  const before = dumpDatabase(ground.database);
  const model = copyOf(ground, "model");
  const counter = new Failpoint(() => undefined);
  const changed = await openWorld(model, { driver: watchedDriver(counter) });
  counter.arm(null);
  accepted(await call.run(changed, told));
  expect(counter.committed).toBe(true);
  await changed.store.close();
  const after = dumpDatabase(model.database);
  expect(after).not.toEqual(before);
  return { ground, told, before, after: comparable(after), statements: counter.count };
}

function copyOf(ground: Ground, name: string): Ground {
  const copy = groundWith(ground, join(ground.dataDir, "..", name));
  cpSync(ground.dataDir, copy.dataDir, { recursive: true });
  return copy;
}

/** Before each statement, from the first one to the commit. */
function pointsOf({ statements }: Stage): Point[] {
  return Array.from({ length: statements }, (_, index) => index + 1);
}

async function failAt(call: ChangingCall, stage: Stage, fail: (handle: SqliteHandle) => void, point: Point) {
  const copy = copyOf(stage.ground, `${fail.name}-${point}`);
  const failpoint = new Failpoint(fail);
  const deps = await openWorld(copy, { driver: watchedDriver(failpoint) });
  failpoint.arm(point);
  const fault: unknown = await call.run(deps, stage.told).catch((error: unknown) => error);
  failpoint.disarm();
  expect(failpoint.hit).toBe(true);
  expect(fault).toBeInstanceOf(Fault);
  if (failpoint.committed) {
    expect(fault).toMatchObject({ outcomeUnknown: true });
  } else {
    expect(dumpDatabase(copy.database)).toEqual(stage.before);
    accepted(await call.run(deps, stage.told));
  }
  expect(comparable(dumpDatabase(copy.database))).toEqual(stage.after);
  await deps.store.close();
}

async function dieAt(name: string, call: ChangingCall, stage: Stage, point: Point) {
  const copy = copyOf(stage.ground, `die-${point}`);
  const order: CallOrder = { ground: copy, call: name, told: stage.told, dieAt: point };
  const ended = await startFixture(fixture, [JSON.stringify(order)]).ended;
  expect(ended).toEqual({ code: null, signal: "SIGKILL", stderr: "" });
  if (point !== "after commit") {
    expect(dumpDatabase(copy.database)).toEqual(stage.before);
    const deps = await openWorld(copy);
    accepted(await call.run(deps, stage.told));
    await deps.store.close();
  }
  expect(comparable(dumpDatabase(copy.database))).toEqual(stage.after);
}

let fixture: Bundle;
beforeAll(async () => {
  fixture = await bundleSqliteFixture("durable-call");
});
afterAll(() => fixture.remove());

describe.each(Object.entries(CHANGING_CALLS))("%s", (name, call) => {
  for (const [failure, fail] of Object.entries(FAILURES)) {
    verifies("D2", `${name}, when ${failure} at each statement in turn`, async () => {
      const stage = await setStage(call);
      for (const point of pointsOf(stage)) await failAt(call, stage, fail, point);
    });
  }

  verifies("D2", `${name}, when nobody can tell whether the commit reached the disk`, async () => {
    await failAt(call, await setStage(call), failedSync, "after commit");
  });

  verifies("D2", `${name}, when its process is killed at each statement in turn`, async () => {
    const stage = await setStage(call);
    await inParallel(3, [...pointsOf(stage), "after commit" as const], (point) => dieAt(name, call, stage, point));
  });
});
