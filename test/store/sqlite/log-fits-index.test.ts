/** What an opener finds beside a database: the log and the index as other processes left them, or had them cut. */
import { copyFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { assertLogFitsIndex } from "../../../src/store/sqlite/log-fits-index.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { makeRoom, newFile, note, openHandle, openStore } from "./sqlite-file.ts";

const original = import("../../../src/store/sqlite/connection.ts");

/** A copy, because no file of an open store may be opened in another way. */
async function copyOfUsedStore({ isCopied = false } = {}): Promise<string> {
  const file = newFile();
  const store = await openStore(file);
  await makeRoom(store);
  // The log of a new store is longer than what is in it.
  openHandle(file).exec("PRAGMA wal_checkpoint(TRUNCATE)");
  for (let count = 0; count < 3; count += 1) await note(store);
  if (isCopied) openHandle(file).exec("PRAGMA wal_checkpoint(PASSIVE)");
  const copy = join(temporaryDirectory(), "tt.db");
  for (const suffix of ["", "-wal", "-shm"]) copyFileSync(`${file}${suffix}`, `${copy}${suffix}`);
  return copy;
}

const FITTING: Readonly<Record<string, (file: string) => void>> = {
  "all is as it was": () => undefined,
  "there is no index": (file) => rmSync(`${file}-shm`),
  "the index is new": (file) => truncateSync(`${file}-shm`, 3),
  "the index was cut before its head ends": (file) => truncateSync(`${file}-shm`, 95),
  "there is nothing": (file) => ["", "-wal", "-shm"].forEach((suffix) => rmSync(`${file}${suffix}`)),
};

const BROKEN: Readonly<Record<string, (file: string) => void>> = {
  "the index was cut after its head": (file) => truncateSync(`${file}-shm`, 100),
  "the index was cut at a page": (file) => truncateSync(`${file}-shm`, 4096),
  "the log was removed": (file) => rmSync(`${file}-wal`),
  "the log is empty": (file) => truncateSync(`${file}-wal`, 0),
  "the log was cut by a byte": (file) => truncateSync(`${file}-wal`, statSync(`${file}-wal`).size - 1),
  "the log is another one": (file) => writeFileSync(`${file}-wal`, Buffer.alloc(statSync(`${file}-wal`).size, 7)),
};

describe("an opener", () => {
  test.each(Object.entries(FITTING))("goes on when %s", async (_, happen) => {
    const file = await copyOfUsedStore();
    happen(file);
    expect(() => assertLogFitsIndex(file, () => [4711])).not.toThrow();
  });

  test.each(Object.entries(BROKEN))("is told who has the store open when %s", async (_, happen) => {
    const file = await copyOfUsedStore();
    happen(file);
    expect(() => assertLogFitsIndex(file, () => [4711, 4712])).toThrow(
      expect.objectContaining({
        code: "store_unsafe",
        next: "End process 4711, 4712, and try again.",
        facts: { file, holder_pids: [4711, 4712] },
      }),
    );
  });

  test.each(Object.entries(BROKEN))("goes on when %s and nobody has the store open", async (_, happen) => {
    const file = await copyOfUsedStore();
    happen(file);
    expect(() => assertLogFitsIndex(file, () => [])).not.toThrow();
  });

  test.each([
    [true, false],
    [false, true],
  ])("learns that changes were lost with the log (SQLite had copied it: %s)", async (isCopied, lacksChanges) => {
    const file = await copyOfUsedStore({ isCopied });
    expect(assertLogFitsIndex(file, () => [])).toBe(false);
    rmSync(`${file}-wal`);
    expect(assertLogFitsIndex(file, () => [])).toBe(lacksChanges);
  });

  test("is told what to do where nobody can tell who has the store open", async () => {
    const file = await copyOfUsedStore();
    truncateSync(`${file}-shm`, 100);
    const next = `End every process that has the store open, and try again. If no process has it open, remove its index: rm ${file}-shm`;
    for (const users of [() => null, undefined])
      expect(() => assertLogFitsIndex(file, users)).toThrow(expect.objectContaining({ next }));
  });
});

test("a second copy of this program in one process knows which stores the first has opened", async () => {
  const file = newFile();
  await openStore(file);
  vi.resetModules();
  const { mayBeOpenHere, SqliteConnection } = await import("../../../src/store/sqlite/connection.ts");
  expect(SqliteConnection).not.toBe((await original).SqliteConnection);
  expect(mayBeOpenHere(file)).toBe(true);
  expect(mayBeOpenHere(newFile())).toBe(false);
});
