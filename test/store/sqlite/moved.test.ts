/** A store whose files are removed or replaced while a process has it open. */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { asAgentId } from "../../../src/core/ids.ts";
import type { Store } from "../../../src/engine/ports/store.ts";
import type { SqliteOptions } from "../../../src/store/sqlite/open.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { driver, makeRoom, newFile, note, openHandle, openStore, ROOM, watchedDriver } from "./sqlite-file.ts";

const FILES = ["", "-wal", "-shm"];

async function usedStore(file = newFile(), options: Partial<SqliteOptions> = {}) {
  const store = await openStore(file, options);
  await makeRoom(store);
  await note(store);
  return { file, directory: dirname(file), store };
}

const hasMoved = (file: string, next = "the store that is there now") => ({
  name: "Fault",
  code: "store_unsafe",
  retry: false,
  message: `${file} was removed or replaced while this process had it open.`,
  next: expect.stringContaining(next) as string,
  facts: { file },
});

function removeDirectory(directory: string): void {
  rmSync(directory, { recursive: true });
  mkdirSync(directory, { mode: 0o700 });
}

const uses: readonly (readonly [name: string, use: (store: Store) => Promise<unknown>])[] = [
  ["a change", (store) => note(store)],
  ["a mark", (store) => store.changeMark()],
  ["a read of the room", (store) => store.readRoom(ROOM.id)],
  ["a read of the log", (store) => store.readEvents(ROOM.id, 0, 10)],
  ["a read of mail", (store) => store.readMailbox(asAgentId("claude:1"), { kind: "messages", ids: [] })],
  ["a read of sessions", (store) => store.readSessions(ROOM.project)],
];

describe.each(uses)("%s", (_, use) => {
  test("fails when the directory was removed", async () => {
    const { file, directory, store } = await usedStore();
    rmSync(directory, { recursive: true });
    await expect(use(store)).rejects.toMatchObject(hasMoved(file));
    expect(store.isInPlace()).toBe(false);
    expect(existsSync(directory)).toBe(false);
  });

  test("fails when another store is there", async () => {
    const { file, directory, store } = await usedStore();
    removeDirectory(directory);
    const { store: other } = await usedStore(file);
    await expect(use(store)).rejects.toMatchObject(hasMoved(file));
    expect([store.isInPlace(), other.isInPlace()]).toEqual([false, true]);
    await expect(use(other)).resolves.toBeDefined();
  });

  test("fails when another store was moved over it", async () => {
    const { file, store } = await usedStore();
    const { file: elsewhere, store: other } = await usedStore();
    await other.close();
    renameSync(elsewhere, file);
    await expect(use(store)).rejects.toMatchObject(hasMoved(file));
  });

  test("fails while the directory is away, and goes on when it is back", async () => {
    const { file, directory, store } = await usedStore();
    const away = join(temporaryDirectory(), "away");
    renameSync(directory, away);
    await expect(use(store)).rejects.toMatchObject(hasMoved(file));
    renameSync(away, directory);
    await expect(use(store)).resolves.toBeDefined();
    expect(store.isInPlace()).toBe(true);
  });
});

const GONE = [
  ["-wal", "replaced"],
  ["-shm", "removed"],
  ["-shm", "replaced"],
] as const;

describe.each(GONE)("when its %s was %s", (suffix, how) => {
  test("nothing is read or changed, and a waiter learns of it", async () => {
    const { file, store } = await usedStore();
    const companion = `${file}${suffix}`;
    if (how === "replaced") copyFileSync(companion, `${companion}.other`);
    rmSync(companion);
    if (how === "replaced") renameSync(`${companion}.other`, companion);
    for (const [, use] of uses) await expect(use(store)).rejects.toMatchObject(hasMoved(companion, "End this process"));
    // To open it again here would share the lost index: only another process can go on.
    expect(store.isInPlace()).toBe(true);
  });
});

describe("when its log was removed", () => {
  test.each([false, true])(
    "what is in it is saved, and the store is opened again (an empty log is there: %s)",
    async (is) => {
      const { file, store } = await usedStore();
      const before = await store.readEvents(ROOM.id, 0, 10);
      rmSync(`${file}-wal`);
      if (is) writeFileSync(`${file}-wal`, "", { mode: 0o600 });
      await expect(note(store)).rejects.toMatchObject(hasMoved(`${file}-wal`));
      await expect(note(store)).rejects.toMatchObject(hasMoved(`${file}-wal`));
      expect(store.isInPlace()).toBe(false);
      const again = await openStore(file);
      expect(await again.readEvents(ROOM.id, 0, 10)).toEqual(before);
      await note(again);
    },
  );

  test.each([false, true])(
    "what is in it is saved when the store is closed (leaving its log: %s)",
    async (leavesLog) => {
      const { file, store } = await usedStore(newFile(), { leavesLog });
      const before = await store.readEvents(ROOM.id, 0, 10);
      rmSync(`${file}-wal`);
      await store.close();
      expect(await (await openStore(file)).readEvents(ROOM.id, 0, 10)).toEqual(before);
    },
  );
});

describe.each(["-wal", "-shm"])("when its %s was cut", (suffix) => {
  test.each([0, 100])("to %i bytes, it is not touched", async (bytes) => {
    const { file, store } = await usedStore();
    truncateSync(`${file}${suffix}`, bytes);
    const cut = { code: "store_unsafe", message: `${file}${suffix} was cut short while this process had it open.` };
    for (const [, use] of uses) await expect(use(store)).rejects.toMatchObject(cut);
    await store.close();
  });
});

test("an index that was cut in the middle of a change is not touched, and nothing is acknowledged", async () => {
  const file = newFile();
  let cut = false;
  const cutting = watchedDriver((sql) => {
    if (cut && sql.startsWith("INSERT INTO events")) truncateSync(`${file}-shm`, 0);
  });
  const store = await openStore(file, { driver: cutting });
  await makeRoom(store);
  cut = true;
  await expect(note(store)).rejects.toMatchObject({ code: "store_unsafe" });
  await expect(store.readRoom(ROOM.id)).rejects.toMatchObject({ code: "store_unsafe" });
  await store.close();
});

test("a log that others empty just before a change, or while it is looked at, is no cut one", async () => {
  const file = newFile();
  let sql = "";
  const emptying = watchedDriver((statement) => {
    if (statement !== sql) return;
    sql = "";
    const handle = driver(file);
    handle.exec("PRAGMA wal_checkpoint(TRUNCATE); CREATE TABLE IF NOT EXISTS more (x); INSERT INTO more VALUES (1)");
    handle.close();
  });
  const store = await openStore(file, { driver: emptying });
  await makeRoom(store);
  for (let count = 0; count < 10; count += 1) await note(store);
  sql = "BEGIN IMMEDIATE";
  await note(store);
  for (let count = 0; count < 10; count += 1) await note(store);
  openHandle(file).exec("PRAGMA wal_checkpoint(TRUNCATE)");
  sql = "PRAGMA wal_checkpoint(NOOP)";
  await note(store);
  expect(await store.readEvents(ROOM.id, 0, 100)).toHaveLength(44);
});

test("a log that SQLite itself has emptied is no cut one", async () => {
  const { file, store } = await usedStore();
  openHandle(file).exec("PRAGMA wal_checkpoint(TRUNCATE)");
  expect(statSync(`${file}-wal`).size).toBe(0);
  await note(store);
});

test("what was to be committed when the store was removed is not acknowledged", async () => {
  const file = newFile();
  let remove = false;
  const removing = watchedDriver((sql) => {
    if (remove && sql.startsWith("INSERT INTO events")) rmSync(file, { force: true });
  });
  const store = await openStore(file, { driver: removing });
  await makeRoom(store);
  remove = true;
  await expect(note(store)).rejects.toMatchObject(hasMoved(file));
});

test("the files of the store that is there now stay when the one that was removed is closed", async () => {
  const { file, directory, store } = await usedStore();
  // So much that closing would empty its log.
  for (let count = 0; count < 120; count += 1) await note(store);
  removeDirectory(directory);
  const { store: other } = await usedStore(file);
  await store.close();
  expect(FILES.map((suffix) => existsSync(`${file}${suffix}`))).toEqual([true, true, true]);
  await note(other);
  expect(await (await openStore(file)).readEvents(ROOM.id, 0, 500)).toEqual(await other.readEvents(ROOM.id, 0, 500));
});

test("a file that is replaced while it is being opened is not used", async () => {
  const { file, store } = await usedStore();
  await store.close();
  const opening = openStore(file, {
    driver: (path) => {
      const handle = driver(path);
      copyFileSync(path, `${path}.copy`);
      renameSync(`${path}.copy`, path);
      return handle;
    },
  });
  await expect(opening).rejects.toMatchObject(hasMoved(file));
});
