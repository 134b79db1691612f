import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { ASK_PERSON_NEXT, type Fault } from "../../../src/core/fault.ts";
import { sqliteFault } from "../../../src/store/sqlite/faults.ts";
import { newFile, openStore, sqliteError } from "./sqlite-file.ts";

const codes: readonly (readonly [name: string, errcode: number, fault: string, retry: boolean])[] = [
  ["SQLITE_BUSY", 5, "store_busy", true],
  ["SQLITE_BUSY_RECOVERY", 261, "store_busy", true],
  ["SQLITE_BUSY_SNAPSHOT", 517, "store_busy", true],
  ["SQLITE_LOCKED", 6, "store_busy", true],
  ["SQLITE_PROTOCOL", 15, "store_busy", true],
  ["SQLITE_FULL", 13, "store_full", true],
  ["SQLITE_IOERR_SHMSIZE", 4874, "store_full", true],
  ["SQLITE_READONLY", 8, "store_readonly", false],
  ["SQLITE_READONLY_DIRECTORY", 1544, "store_readonly", false],
  ["SQLITE_READONLY_DBMOVED", 1032, "store_unreachable", true],
  ["SQLITE_CORRUPT", 11, "store_corrupt", false],
  ["SQLITE_NOTADB", 26, "store_corrupt", false],
  ["SQLITE_ERROR", 1, "store_corrupt", false],
  ["SQLITE_CONSTRAINT_UNIQUE", 2067, "store_corrupt", false],
  ["SQLITE_IOERR", 10, "store_unreachable", true],
  ["SQLITE_IOERR_FSYNC", 1034, "store_unreachable", true],
  ["SQLITE_CANTOPEN", 14, "store_unreachable", true],
  ["SQLITE_NOMEM", 7, "store_unreachable", true],
];

test.each(codes)("%s (%i) is %s", (_name, errcode, code, retry) => {
  const cause = sqliteError(errcode);
  const fault = sqliteFault(cause, newFile());
  expect(fault).toMatchObject({ code, retry, cause, outcomeUnknown: false, facts: { sqlite_code: errcode } });
  expect(fault.next).toMatch(/\w+ \w+/);
});

function advice(errcode: number): string {
  return sqliteFault(sqliteError(errcode), newFile()).next;
}

test("a backup is spoken of at once only where SQLite found damage", () => {
  for (const errcode of [11, 24, 26]) expect(advice(errcode)).toMatch(/restore a backup/);
  for (const errcode of [1, 12, 17, 19, 2067, 20]) expect(advice(errcode)).toMatch(/integrity_check.*bug in tt/);
  const others = codes.filter(([, , code]) => code !== "store_corrupt").map(([, errcode]) => errcode);
  for (const errcode of others) expect(advice(errcode)).not.toMatch(/backup/);
});

test("only a damaged store may be put aside, and only without a backup", () => {
  for (const errcode of [11, 24, 26]) expect(advice(errcode)).toMatch(/If there is no backup, .* mv /);
  for (const errcode of [11, 1]) {
    expect(sqliteFault(sqliteError(errcode), newFile()).nextInHarness).toBe(ASK_PERSON_NEXT);
  }
  for (const errcode of [1, 12, 17, 19, 2067, 20]) expect(advice(errcode)).not.toMatch(/mv /);
});

test("a damaged store names the command that puts it aside, each time elsewhere, and a new one then opens", async () => {
  const file = newFile();
  const directory = dirname(file);
  writeFileSync(`${file}.bak`, "a person's own copy");
  for (const text of ["this is no database", "nor is this one"]) {
    writeFileSync(file, text);
    writeFileSync(`${file}-wal`, "");
    const fault = await openStore(file).catch((error: unknown) => error as Fault);
    const [, command = ""] = /start with a new store: (d=.*)$/.exec((fault as Fault).next) ?? [];
    expect(spawnSync("sh", ["-c", command], { encoding: "utf8" })).toMatchObject({ status: 0, stderr: "" });
  }
  const aside = readdirSync(directory).filter((name) => name.startsWith("damaged."));
  expect(aside.map((name) => readdirSync(join(directory, name)))).toEqual([
    ["tt.db", "tt.db-wal"],
    ["tt.db", "tt.db-wal"],
  ]);
  expect(existsSync(`${file}.bak`)).toBe(true);
  await openStore(file);
});

test("a driver that does not understand its call is no proof of damage", () => {
  expect(sqliteFault(new TypeError("cannot be bound"), newFile()).next).toMatch(/integrity_check/);
  expect(sqliteFault(new RangeError("too large"), newFile()).next).not.toMatch(/integrity_check/);
});

test("an error without a code comes from a value that cannot be read", () => {
  expect(sqliteFault(new RangeError("too large"), newFile()).code).toBe("store_corrupt");
});
