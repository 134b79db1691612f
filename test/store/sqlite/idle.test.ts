/**
 * The files of a store that no process has open. Its newest changes are in the log that programs leave. Each process here
 * is one of its own: a process that had the store open before would share its old index.
 */
import { copyFileSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { NEWEST_VERSION } from "../../../src/store/sql/schema-steps.ts";
import { type Bundle, bundleFixture, startFixture } from "../../support/fixture.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { newFile, openHandle } from "./sqlite-file.ts";

let leaver: Bundle;
let looker: Bundle;

beforeAll(async () => {
  leaver = await bundleFixture("test/store/sqlite/fixtures/leaver.ts");
  looker = await bundleFixture("test/store/sqlite/fixtures/looker.ts");
});

afterAll(() => {
  leaver.remove();
  looker.remove();
});

async function makeRooms(file: string, rooms: number): Promise<void> {
  expect(await startFixture(leaver, [file, String(rooms), "told"]).ended).toMatchObject({ code: 0, stderr: "" });
}

async function idleStore(): Promise<string> {
  const file = newFile();
  await makeRooms(file, 2);
  return file;
}

async function found(file: string, ...backup: readonly string[]): Promise<unknown> {
  const running = startFixture(looker, [file, ...backup]);
  const { value } = await running.lines().next();
  expect(await running.ended).toEqual({ code: 0, signal: null, stderr: "" });
  return value;
}

function copyOf(file: string, suffixes: readonly string[]): string {
  const copy = join(temporaryDirectory(), "tt.db");
  for (const suffix of suffixes) copyFileSync(`${file}${suffix}`, `${copy}${suffix}`);
  return copy;
}

async function backUp(file: string): Promise<string> {
  const backup = join(temporaryDirectory(), "backup.db");
  await found(file, backup);
  return backup;
}

const WHOLE = { rooms: 2, lacksChanges: false };

describe("an idle store", () => {
  test("has its schema in the database: a copy of that alone is no new file", async () => {
    const copy = copyOf(await idleStore(), [""]);
    const version = openHandle(copy).prepare("PRAGMA user_version").get();
    expect(version).toEqual({ user_version: NEWEST_VERSION });
  });

  test("that was copied with its log and its index is whole", async () => {
    expect(await found(copyOf(await idleStore(), ["", "-wal", "-shm"]))).toEqual(WHOLE);
  });

  test.each([
    ["removed", (log: string) => rmSync(log)],
    ["emptied", (log: string) => truncateSync(log, 0)],
    ["cut", (log: string) => truncateSync(log, 4000)],
  ])("tells its next opener that its log was %s", async (_, lose) => {
    const file = await idleStore();
    lose(`${file}-wal`);
    expect(await found(file)).toEqual({ rooms: 0, lacksChanges: true });
  });

  test("lacks nothing without its index, as after a reboot", async () => {
    const file = await idleStore();
    rmSync(`${file}-shm`);
    expect(await found(file)).toEqual(WHOLE);
  });

  test("over which a backup was copied is not empty, or fails with a fault", async () => {
    const file = await idleStore();
    const backup = await backUp(file);
    await makeRooms(file, 20);
    copyFileSync(backup, file);
    expect(await found(file)).not.toMatchObject({ rooms: 0 });
  });

  test("becomes its backup when the old log is removed first", async () => {
    const file = await idleStore();
    const backup = await backUp(file);
    await makeRooms(file, 20);
    for (const suffix of ["-wal", "-shm"]) rmSync(`${file}${suffix}`);
    copyFileSync(backup, file);
    expect(await found(file)).toEqual(WHOLE);
  });
});
