import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { ASK_PERSON_NEXT } from "../../../src/core/fault.ts";
import type { SqliteHandle } from "../../../src/store/sqlite/driver.ts";
import { bundleFixture } from "../../support/fixture.ts";
import { canMount, skipUnless } from "../../support/privileges.ts";
import { driver, makeRoom, newFile, note, openHandle, openStore, ROOM, watchedDriver } from "./sqlite-file.ts";

/** One numbered file for each. */
const NEWEST_SCHEMA = readdirSync(resolve(import.meta.dirname, "../../../src/store/sqlite/migrations")).length;

describe("an opened store", () => {
  test("has the settings that its promises need", async () => {
    let handle: SqliteHandle | undefined;
    await openStore(newFile(), { driver: (file) => (handle = driver(file)) });
    const value = (pragma: string) => Object.values(handle?.prepare(`PRAGMA ${pragma}`).get() ?? {})[0];
    expect({
      journal_mode: value("journal_mode"),
      synchronous: value("synchronous"),
      busy_timeout: value("busy_timeout"),
      foreign_keys: value("foreign_keys"),
      trusted_schema: value("trusted_schema"),
      application_id: value("application_id"),
      user_version: value("user_version"),
    }).toEqual({
      journal_mode: "wal",
      synchronous: 2,
      busy_timeout: 0,
      foreign_keys: 1,
      trusted_schema: 0,
      application_id: 0x5453746b,
      user_version: NEWEST_SCHEMA,
    });
  });

  test("gives its companions the mode of the database", async () => {
    const file = newFile();
    writeFileSync(file, "", { mode: 0o600 });
    const store = await openStore(file);
    await makeRoom(store);
    expect([file, `${file}-wal`, `${file}-shm`].map((path) => statSync(path).mode & 0o777)).toEqual([
      0o600, 0o600, 0o600,
    ]);
  });

  test("writes nothing when it is opened again, read and asked for its mark", async () => {
    const file = newFile();
    await makeRoom(await openStore(file));
    const bytes = () => [file, `${file}-wal`].map((path) => readFileSync(path).toString("base64"));
    const before = bytes();
    const store = await openStore(file);
    await store.readRoom(ROOM.id);
    await store.readRooms({});
    await store.changeMark();
    expect(bytes()).toEqual(before);
  });

  test.skipIf(!existsSync("/proc/locks"))("keeps its locks when this process closes and opens it again", async () => {
    const file = newFile();
    const first = await openStore(file);
    await makeRoom(first);
    await first.close();
    const second = await openStore(file);
    await second.readRoom(ROOM.id);
    const { ino } = statSync(`${file}-shm`);
    const locks = readFileSync("/proc/locks", "utf8").split("\n");
    expect(locks.filter((line) => line.includes(` ${process.pid} `) && line.includes(`:${ino} `))).not.toEqual([]);
  });

  test("a change that changes nothing writes nothing", async () => {
    const file = newFile();
    const store = await openStore(file);
    await makeRoom(store);
    const before = readFileSync(`${file}-wal`);
    await makeRoom(store);
    expect(readFileSync(`${file}-wal`).equals(before)).toBe(true);
  });
});

const fault = (code: string) => ({ name: "Fault", code, next: expect.stringMatching(/\w+ \w+/) });

describe("opening is refused", () => {
  test("with a SQLite that can damage the file", async () => {
    const old = watchedDriver(() => undefined);
    const opening = openStore(newFile(), {
      driver: (file) => {
        const handle = old(file);
        return {
          ...handle,
          prepare: (sql) =>
            sql.includes("sqlite_version") ? handle.prepare("SELECT '3.51.2' AS version") : handle.prepare(sql),
        };
      },
    });
    await expect(opening).rejects.toMatchObject({ ...fault("store_unsafe"), facts: { sqlite_version: "3.51.2" } });
  });

  test("when a setting does not hold", async () => {
    const opening = openStore(newFile(), {
      driver: (file) => {
        const handle = driver(file);
        return {
          close: () => handle.close(),
          prepare: (sql) => handle.prepare(sql),
          exec: (sql) =>
            handle.exec(sql.includes("synchronous") ? "SELECT 1" : sql.replace("trusted_schema = OFF", "user_version")),
        };
      },
    });
    await expect(opening).rejects.toMatchObject(fault("store_unsafe"));
  });

  test("for another program's database, which stays as it is", async () => {
    const file = newFile();
    const foreign = driver(file);
    foreign.exec("CREATE TABLE theirs (x)");
    foreign.close();
    const before = readFileSync(file);
    const next = `It was left as it is. Use another directory for the store: export TT_DATA_DIR=${dirname(file)}-2 && tt install`;
    await expect(openStore(file)).rejects.toMatchObject({
      ...fault("store_unsafe"),
      next,
      nextInHarness: ASK_PERSON_NEXT,
    });
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(existsSync(`${file}-wal`)).toBe(false);
  });

  test("for an empty database that another program has marked", async () => {
    const file = newFile();
    openHandle(file).exec("PRAGMA application_id = 42");
    await expect(openStore(file)).rejects.toMatchObject(fault("store_unsafe"));
  });

  test("for a schema of newer programs alone, which stays as it is", async () => {
    const file = newFile();
    const store = await openStore(file);
    await store.close();
    const handle = driver(file);
    handle.exec(`PRAGMA user_version = ${NEWEST_SCHEMA + 2}; UPDATE oldest_writer SET version = ${NEWEST_SCHEMA + 1}`);
    handle.close();
    const before = readFileSync(file);
    await expect(openStore(file)).rejects.toMatchObject({
      ...fault("store_too_new"),
      facts: { schema: NEWEST_SCHEMA + 2, oldest_writer: NEWEST_SCHEMA + 1, known_schema: NEWEST_SCHEMA },
    });
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test("for a file that is no database", async () => {
    const file = newFile();
    writeFileSync(file, "Dear diary, ".repeat(1000));
    await expect(openStore(file)).rejects.toMatchObject(fault("store_corrupt"));
    expect(readFileSync(file, "utf8")).toBe("Dear diary, ".repeat(1000));
  });

  test("for a database that was cut off", async () => {
    const file = newFile();
    const store = await openStore(file);
    await makeRoom(store);
    for (let count = 0; count < 30; count += 1) await note(store);
    await store.close();
    const torn = `${file}.torn`;
    // A checkpoint moves everything into the database itself.
    openHandle(file).exec("PRAGMA wal_checkpoint(TRUNCATE)");
    copyFileSync(file, torn);
    truncateSync(torn, 3 * 4096);
    const using = openStore(torn).then((opened) => opened.readEvents(ROOM.id, 0, 500));
    await expect(using).rejects.toMatchObject(fault("store_corrupt"));
  });

  test("for our own file with a table missing", async () => {
    const file = newFile();
    const store = await openStore(file);
    openHandle(file).exec("PRAGMA foreign_keys = OFF; DROP TABLE members");
    await expect(store.readRooms({})).rejects.toMatchObject(fault("store_corrupt"));
  });

  test("where the directory is missing", async () => {
    await expect(openStore(`${newFile()}/not/there.db`)).rejects.toMatchObject(fault("store_unreachable"));
  });

  test.skipIf(skipUnless(canMount, "the right to mount"))("on a read-only file system, with the way out", async () => {
    const bundle = await bundleFixture("test/store/sqlite/fixtures/opener.ts");
    onTestFinished(() => bundle.remove());
    const file = newFile();
    await (await openStore(file)).close();
    const mount = 'mount --bind "$2" "$2" && mount -o remount,ro,bind "$2" && exec "$0" "$1" "$3" now';
    for (const name of [file, join(dirname(file), "new.db")]) {
      const args = ["-m", "sh", "-c", mount, process.execPath, bundle.file, dirname(file), name];
      const { stderr } = spawnSync("unshare", args, { encoding: "utf8" });
      expect(stderr).toMatch(/store_readonly.*TT_DATA_DIR/);
    }
  });
});
