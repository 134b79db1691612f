import { statSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { makeRoom, newFile, note, openHandle, openStore, ROOM } from "./sqlite-file.ts";

const PAGES = 256;

const logBytes = (file: string) => statSync(`${file}-wal`).size;

/** Another process has the file open and does nothing: otherwise SQLite itself tidies up when the last one leaves. */
async function storeBesideAnother() {
  const file = newFile();
  const store = await openStore(file);
  await makeRoom(store);
  openHandle(file).prepare("SELECT count(*) FROM rooms").get();
  return { file, store };
}

async function makeLogLong(file: string, store: Awaited<ReturnType<typeof openStore>>): Promise<void> {
  while (logBytes(file) <= (PAGES + 1) * 4200) await note(store);
}

describe("a process that leaves", () => {
  test("empties a log that has become long, and nothing is lost with it", async () => {
    const { file, store } = await storeBesideAnother();
    await makeLogLong(file, store);
    const events = await store.readEvents(ROOM.id, 0, 5000);
    await store.close();
    expect(logBytes(file)).toBe(0);
    expect(await (await openStore(file)).readEvents(ROOM.id, 0, 5000)).toEqual(events);
  });

  test("leaves a short log as it is: to empty it would wait for the disk", async () => {
    const { file, store } = await storeBesideAnother();
    openHandle(file).exec("PRAGMA wal_checkpoint(TRUNCATE)");
    await note(store);
    const before = logBytes(file);
    await store.close();
    expect(before).toBeGreaterThan(0);
    expect(logBytes(file)).toBe(before);
  });

  test("and only read writes nothing, however long the log is", async () => {
    const { file, store } = await storeBesideAnother();
    await makeLogLong(file, store);
    const before = logBytes(file);
    const reader = await openStore(file);
    await reader.readRoom(ROOM.id);
    await reader.close();
    expect(logBytes(file)).toBe(before);
  });

  test("while another one reads does not wait for it", async () => {
    const { file, store } = await storeBesideAnother();
    await makeLogLong(file, store);
    const reader = openHandle(file);
    reader.exec("BEGIN");
    const rooms = reader.prepare("SELECT count(*) AS count FROM rooms").get();
    await store.close();
    expect(logBytes(file)).toBeGreaterThan(0);
    expect(reader.prepare("SELECT count(*) AS count FROM rooms").get()).toEqual(rooms);
  });
});
