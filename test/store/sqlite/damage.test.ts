import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { expect, onTestFailed, test } from "vitest";
import { Fault } from "../../../src/core/fault.ts";
import { SeededRandom } from "../../support/random.ts";
import { makeRoom, newFile, note, openHandle, openStore, ROOM } from "./sqlite-file.ts";

const FLIPS = 60;

test("flipped bytes are a fault or go unnoticed, and never anything else", async () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  onTestFailed(() => {
    process.stderr.write(`seed ${seed}\n`);
  });
  const random = new SeededRandom(seed);
  const original = newFile();
  const store = await openStore(original);
  await makeRoom(store);
  for (let count = 0; count < 20; count += 1) await note(store);
  // Some of the data is in the database itself, some only in its log.
  openHandle(original).exec("PRAGMA wal_checkpoint(TRUNCATE)");
  for (let count = 0; count < 5; count += 1) await note(store);
  const outcomes = new Set<string>();
  for (let flip = 0; flip < FLIPS; flip += 1) {
    const file = `${original}.${flip}`;
    for (const suffix of ["", "-wal", "-shm"]) copyFileSync(original + suffix, file + suffix);
    const damaged = file + random.pick(["", "-wal", "-shm"]);
    const bytes = readFileSync(damaged);
    for (let count = random.between(1, 40); count > 0; count -= 1)
      bytes[random.between(0, bytes.length - 1)] = random.between(0, 255);
    writeFileSync(damaged, bytes);
    outcomes.add(await use(file));
  }
  expect([...outcomes]).toContain("Fault store_corrupt");
  expect([...outcomes].filter((outcome) => !/^(fine|Fault store_\w+)$/.test(outcome))).toEqual([]);
});

/** Opens, reads everything and writes once. */
async function use(file: string): Promise<string> {
  try {
    const store = await openStore(file, { busyBudgetMs: 100 });
    await store.readRooms({});
    await store.readEvents(ROOM.id, 0, 500);
    await store.readNotes(ROOM.id, 500, { unresolvedOnly: false });
    await note(store);
    return "fine";
  } catch (error) {
    return error instanceof Fault ? `Fault ${error.code}` : String((error as Error).stack);
  }
}
