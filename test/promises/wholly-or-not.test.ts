/**
 * Goal: a command that fails or dies half-way leaves nothing behind, and one that was committed is there whole.
 * Method: each changing call is made to fail, and its process is killed, at each of its statements in turn.
 */
import { afterAll, beforeAll, expect } from "vitest";
import { Fault } from "../../src/core/fault.ts";
import type { SqliteHandle } from "../../src/store/sqlite/driver.ts";
import { CHANGING_CALLS } from "../support/changing-calls.ts";
import { comparable, dumpDatabase } from "../support/database-dump.ts";
import { Failpoint, type Point, sqliteError } from "../support/failpoint.ts";
import type { Bundle } from "../support/fixture.ts";
import { inParallel } from "../support/in-parallel.ts";
import { bundleSqliteFixture } from "../support/sqlite-fixture.ts";
import { accepted, type Ground, openWorld } from "../support/sqlite-world.ts";
import { copyOf, killedAt, type StagedCall, stageCall } from "../support/staged-call.ts";
import { watchedDriver } from "../support/watched-driver.ts";
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

/** The database holds all of the change and is sound. */
function expectDone({ database }: Ground, { after }: StagedCall): void {
  const actual = dumpDatabase(database);
  expect({ ...actual, tables: comparable(actual.tables) }).toEqual({ ...after, tables: comparable(after.tables) });
}

async function failAt(stage: StagedCall, fail: (handle: SqliteHandle) => void, point: Point): Promise<void> {
  const { call, told } = stage;
  const copy = copyOf(stage.ground, `${fail.name}-${point}`);
  const failpoint = new Failpoint(fail);
  const deps = await openWorld(copy, { driver: watchedDriver(failpoint) });
  failpoint.arm(point);
  const fault: unknown = await call.run(deps, told).catch((error: unknown) => error);
  failpoint.disarm();
  expect(failpoint.hit).toBe(true);
  expect(fault).toBeInstanceOf(Fault);
  if (failpoint.committed) {
    expect(fault).toMatchObject({ outcomeUnknown: true });
  } else {
    expect(dumpDatabase(copy.database)).toEqual(stage.before);
    accepted(await call.run(deps, told));
  }
  expectDone(copy, stage);
  await deps.store.close();
}

async function dieAt(stage: StagedCall, point: Point): Promise<void> {
  const left = await killedAt(fixture, stage, point);
  if (point !== "after commit") {
    expect(dumpDatabase(left.database)).toEqual(stage.before);
    const deps = await openWorld(left);
    accepted(await stage.call.run(deps, stage.told));
    await deps.store.close();
  }
  expectDone(left, stage);
}

let fixture: Bundle;
beforeAll(async () => {
  fixture = await bundleSqliteFixture("durable-call");
});
afterAll(() => fixture.remove());

for (const name of Object.keys(CHANGING_CALLS)) {
  for (const [failure, fail] of Object.entries(FAILURES)) {
    verifies("D2", `${name}, when ${failure} at each statement in turn`, async () => {
      const stage = await stageCall(name);
      for (const point of stage.points) await failAt(stage, fail, point);
    });
  }

  verifies("D2", `${name}, when nobody can tell whether the commit reached the disk`, async () => {
    await failAt(await stageCall(name), failedSync, "after commit");
  });

  verifies("D2", `${name}, when its process is killed at each statement in turn`, async () => {
    const stage = await stageCall(name);
    await inParallel(3, [...stage.points, "after commit" as const], (point) => dieAt(stage, point));
  });
}
