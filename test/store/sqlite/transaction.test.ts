import { describe, expect, onTestFinished, test } from "vitest";
import type { Fault } from "../../../src/core/fault.ts";
import { begin } from "../../../src/room/rules/change.ts";
import { SqliteConnection } from "../../../src/store/sqlite/connection.ts";
import type { SqliteHandle } from "../../../src/store/sqlite/driver.ts";
import {
  driver,
  makeRoom,
  newFile,
  note,
  openHandle,
  openStore,
  ROOM,
  sqliteError,
  watchedDriver,
} from "./sqlite-file.ts";

describe("while another process writes", () => {
  test("a change waits for it", async () => {
    const file = newFile();
    const store = await openStore(file);
    await makeRoom(store);
    const other = openHandle(file);
    other.exec("BEGIN IMMEDIATE");
    const changing = note(store);
    setTimeout(() => other.exec("COMMIT"), 30);
    expect((await changing)?.decision.answer).toMatchObject({ body: "text" });
  });

  test("a change is store_busy when the budget is over, and names the holders", async () => {
    const file = newFile();
    const store = await openStore(file, { busyBudgetMs: 50, lockHolders: () => [4711] });
    await makeRoom(store);
    openHandle(file).exec("BEGIN IMMEDIATE");
    await expect(note(store)).rejects.toMatchObject({
      code: "store_busy",
      retry: true,
      outcomeUnknown: false,
      facts: { holder_pids: [4711], waited_ms: 50 },
      cause: { code: "store_busy", facts: { file, sqlite_code: 5 } },
    });
  });

  test("a bug where a change begins tells its place", () => {
    const connection = new SqliteConnection(driver, newFile());
    connection.close();
    expect(() => connection.begin("BEGIN IMMEDIATE")).toThrow(
      expect.objectContaining({ stack: expect.stringContaining("connection.ts") as string }),
    );
  });

  test("a lock that changes hands is waited for longer than one that does not", async () => {
    const file = newFile();
    const store = await openStore(file, { busyBudgetMs: 50, busyLimitMs: 10_000 });
    await makeRoom(store);
    const others = lockInTurns(file);
    const changing = note(store);
    await others.many;
    others.release();
    expect((await changing)?.decision.answer).toMatchObject({ body: "text" });
  });

  test("a lock that stands still costs one budget after the last commit", async () => {
    const file = newFile();
    const store = await openStore(file, { busyBudgetMs: 300, busyLimitMs: 3000 });
    await makeRoom(store);
    const other = openHandle(file);
    other.exec("CREATE TABLE turns (turn INTEGER) STRICT; BEGIN IMMEDIATE");
    setTimeout(() => other.exec("INSERT INTO turns VALUES (1); COMMIT; BEGIN IMMEDIATE"), 50);
    const busy: unknown = await note(store).catch((error: unknown) => error);
    expect(busy).toMatchObject({ code: "store_busy" });
    const waitedMs = (busy as Fault).facts["waited_ms"];
    expect(waitedMs).toBeGreaterThan(300);
    expect(waitedMs).toBeLessThan(600);
  });

  test("a lock that changes hands is store_busy at the limit", async () => {
    const file = newFile();
    const store = await openStore(file, { busyBudgetMs: 50, busyLimitMs: 150 });
    await makeRoom(store);
    lockInTurns(file);
    await expect(note(store)).rejects.toMatchObject({ code: "store_busy", facts: { waited_ms: 150 } });
  });

  test("the event loop goes on", async () => {
    const file = newFile();
    const store = await openStore(file, { busyBudgetMs: 60 });
    await makeRoom(store);
    openHandle(file).exec("BEGIN IMMEDIATE");
    let ticks = 0;
    const ticking = setInterval(() => (ticks += 1), 1);
    await expect(note(store)).rejects.toMatchObject({ code: "store_busy" });
    clearInterval(ticking);
    expect(ticks).toBeGreaterThan(5);
  });

  test("nobody else can begin to write while a change is decided", async () => {
    const file = newFile();
    const store = await openStore(file);
    await makeRoom(store);
    const other = openHandle(file);
    await store.change({ roomId: ROOM.id }, ({ room }) => {
      expect(() => other.exec("BEGIN IMMEDIATE")).toThrow("locked");
      return { change: begin(room), answer: true };
    });
    other.exec("BEGIN IMMEDIATE; COMMIT");
  });

  test("reads are not held up", async () => {
    const file = newFile();
    const store = await openStore(file, { busyBudgetMs: 10 });
    await makeRoom(store);
    openHandle(file).exec("BEGIN EXCLUSIVE");
    expect((await store.readRoom(ROOM.id))?.room.path).toBe("/projects");
    expect(await store.readEvents(ROOM.id, 0, 10)).toEqual([]);
  });

  test("a commit that meets a lock is tried again as a whole", async () => {
    let refusals = 2;
    let armed = false;
    const store = await openStore(newFile(), {
      driver: watchedDriver((sql) => {
        if (sql === "COMMIT" && armed && refusals > 0) {
          refusals -= 1;
          throw sqliteError(5, "database is locked");
        }
      }),
    });
    await makeRoom(store);
    armed = true;
    await note(store);
    armed = false;
    expect(refusals).toBe(0);
    expect(await store.readEvents(ROOM.id, 0, 10)).toHaveLength(2);
  });
});

describe("when a statement fails", () => {
  test("nothing of the change stays, whichever statement it is, and the store goes on", async () => {
    let position = 1;
    for (; ; position += 1) {
      const { store, before, outcome, failed } = await failAt(position, 13);
      if (!failed) break;
      expect(outcome).toMatchObject({ code: "store_full", outcomeUnknown: false });
      expect((await store.readRoom(ROOM.id))?.room).toEqual(before);
      await note(store);
      expect(await store.readEvents(ROOM.id, 0, 10)).toHaveLength(4);
      expect(await store.readNotes(ROOM.id, 10, { unresolvedOnly: true })).toHaveLength(2);
    }
    expect(position).toBeGreaterThan(10);
  });

  test("only a failed write of the commit leaves the outcome open", async () => {
    const outcomes = [];
    for (let position = 1; ; position += 1) {
      const { outcome, failed } = await failAt(position, 1034);
      if (!failed) break;
      expect(outcome).toMatchObject({ code: "store_unreachable" });
      outcomes.push((outcome as { outcomeUnknown: boolean }).outcomeUnknown);
    }
    expect(outcomes.filter(Boolean)).toEqual([true]);
    expect(outcomes.at(-1)).toBe(true);
  });
});

test("a full disk is store_full and heals", async () => {
  let handle: SqliteHandle | undefined;
  const store = await openStore(newFile(), { driver: (file) => (handle = driver(file)) });
  await makeRoom(store);
  handle?.exec("PRAGMA max_page_count = 1");
  const fill = async () => {
    for (let count = 0; count < 200; count += 1) await note(store);
  };
  await expect(fill()).rejects.toMatchObject({ code: "store_full", retry: true });
  const before = (await store.readRoom(ROOM.id))?.room.state.lastSeq ?? 0;
  handle?.exec("PRAGMA max_page_count = 1000000");
  await note(store);
  expect((await store.readRoom(ROOM.id))?.room.state.lastSeq).toBe(before + 2);
});

/** Commits all the time, and takes the lock again before any other process can have it. */
function lockInTurns(file: string) {
  const other = openHandle(file);
  other.exec("BEGIN IMMEDIATE; CREATE TABLE turns (turn INTEGER) STRICT; COMMIT; BEGIN IMMEDIATE");
  let turns: NodeJS.Timeout | undefined;
  const many = new Promise<void>((resolve) => {
    let commits = 0;
    turns = setInterval(() => {
      other.exec("INSERT INTO turns VALUES (1); COMMIT; BEGIN IMMEDIATE");
      commits += 1;
      if (commits === MANY_COMMITS) resolve();
    }, 5);
  });
  const stop = () => clearInterval(turns);
  onTestFinished(stop);
  return {
    many,
    release(): void {
      stop();
      other.exec("COMMIT");
    },
  };
}

const MANY_COMMITS = 100;

/** One room and one change, during which the statement at `position` fails. */
async function failAt(position: number, errcode: number) {
  let count = Number.NEGATIVE_INFINITY;
  const statements: string[] = [];
  const store = await openStore(newFile(), {
    driver: watchedDriver((sql) => {
      if (count === Number.NEGATIVE_INFINITY || sql === "ROLLBACK") return;
      count += 1;
      statements.push(sql);
      if (count === position) throw sqliteError(errcode);
    }),
  });
  await makeRoom(store);
  await note(store);
  const before = await store.readRoom(ROOM.id);
  count = 0;
  const outcome = await note(store).catch((error: unknown) => error);
  count = Number.NEGATIVE_INFINITY;
  return { store, before: before?.room, outcome, failed: statements.length === position };
}
