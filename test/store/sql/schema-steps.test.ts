import { describe, expect, test } from "vitest";
import {
  mayUse,
  NEWEST_VERSION,
  oldestWriterAfter,
  readInstead,
  tablesForReads,
} from "../../../src/store/sql/schema-steps.ts";
import { driver } from "../sqlite/sqlite-file.ts";

const STEPS = {
  2: {
    tablesBefore: { pets: (older: (table: string) => string) => `SELECT *, 'none' AS owner FROM ${older("pets")}` },
  },
  3: { damaging: true as const },
  4: {
    tablesBefore: {
      pets: (older: (table: string) => string) => `SELECT *, 4 AS legs FROM ${older("pets")}`,
      owners: (older: (table: string) => string) => `SELECT DISTINCT owner AS name FROM ${older("pets")}`,
    },
  },
};

describe("a build", () => {
  test.each([
    ["the oldest that may use the store is older", NEWEST_VERSION - 1, true],
    ["it is the oldest that may use the store", NEWEST_VERSION, true],
    ["only newer ones may use the store", NEWEST_VERSION + 1, false],
  ])("when %s: may use it is %s", (_, oldestWriter, may) => {
    expect(mayUse({ version: NEWEST_VERSION + 5, oldestWriter })).toBe(may);
  });
});

test("only a damaging step shuts older builds out", () => {
  expect([2, 3, 4].map((step) => oldestWriterAfter(step, STEPS))).toEqual([null, 3, null]);
});

function read(version: number, schema: string, sql: string): unknown {
  const handle = driver(":memory:");
  try {
    handle.exec(schema);
    const tables = tablesForReads(version, "main", STEPS);
    return handle
      .prepare(tables === null ? sql : readInstead(sql, tables))
      .all()
      .map((row) => ({ ...row }));
  } finally {
    handle.close();
  }
}

describe("a read of an older schema", () => {
  const everything = "SELECT name, owner, legs FROM pets";

  test("sees what each missing step would have added", () => {
    const schema = "CREATE TABLE pets (name); INSERT INTO pets VALUES ('Rex')";
    expect(read(1, schema, everything)).toEqual([{ name: "Rex", owner: "none", legs: 4 }]);
    expect(read(1, schema, "SELECT name FROM owners")).toEqual([{ name: "none" }]);
  });

  test("sees what is there by then", () => {
    const schema = "CREATE TABLE pets (name, owner); INSERT INTO pets VALUES ('Rex', 'Ann')";
    expect(read(3, schema, everything)).toEqual([{ name: "Rex", owner: "Ann", legs: 4 }]);
    expect(read(3, schema, "SELECT name FROM owners")).toEqual([{ name: "Ann" }]);
  });

  test("may have a WITH of its own", () => {
    const schema = "CREATE TABLE pets (name, owner); INSERT INTO pets VALUES ('Rex', 'Ann')";
    const recursive = `WITH RECURSIVE up(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM up WHERE n < 3)
      SELECT name, legs, n FROM pets, up WHERE n = 3`;
    expect(read(2, schema, recursive)).toEqual([{ name: "Rex", legs: 4, n: 3 }]);
  });

  test("is the plain one when no step is missing", () => {
    expect(tablesForReads(4, "main", STEPS)).toBeNull();
  });
});
