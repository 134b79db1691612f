import { existsSync, readFileSync, statSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Bundle, bundleFixture, startFixture } from "../../support/fixture.ts";
import { makeRoom, newFile, note, openHandle, openStore, ROOM } from "./sqlite-file.ts";

const PAGES = 256;

const logBytes = (file: string) => statSync(`${file}-wal`).size;

const roomsIn = async (file: string) => (await (await openStore(file)).readRooms({})).rooms.length;

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

describe("a program that ends with its store", () => {
  let leaver: Bundle;

  beforeAll(async () => {
    leaver = await bundleFixture("test/store/sqlite/fixtures/leaver.ts");
  });

  afterAll(() => leaver.remove());

  const leave = async (file: string, rooms: number, ends: "itself" | "told" | "robbed") => {
    const running = startFixture(leaver, [file, String(rooms), ends]);
    const { value: scratch } = await running.lines().next();
    expect(await running.ended).toEqual({ code: 0, signal: null, stderr: "" });
    return scratch as string;
  };

  test.each(["itself", "told"] as const)(
    "leaves its log behind when it ends by %s, and nothing is lost",
    async (ends) => {
      const file = newFile();
      await leave(file, 1, ends);
      const before = readFileSync(file);
      await leave(file, 1, ends);
      expect(logBytes(file)).toBeGreaterThan(0);
      expect(readFileSync(file).equals(before)).toBe(true);
      expect(await roomsIn(file)).toBe(2);
    },
  );

  test.each(["itself", "told"] as const)("removes what it had only for itself when it ends by %s", async (ends) => {
    expect(existsSync(await leave(newFile(), 1, ends))).toBe(false);
  });

  test("saves a log that was removed, also after it has closed another store", async () => {
    const file = newFile();
    await leave(file, 3, "robbed");
    expect(await roomsIn(file)).toBe(3);
  });

  test("empties a log that has become long, so that it does not grow with every command", async () => {
    const file = newFile();
    const rooms = 60;
    await leave(file, rooms, "told");
    const once = logBytes(file);
    for (let programs = 2; programs <= 5; programs += 1) await leave(file, rooms, "told");
    expect(Math.max(once, logBytes(file))).toBeLessThan((2 * PAGES + 1) * 4200);
    expect(await roomsIn(file)).toBe(5 * rooms);
  });
});
