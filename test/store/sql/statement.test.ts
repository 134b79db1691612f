import { describe, expect, test } from "vitest";
import { join, limit, list, raw, sql } from "../../../src/store/sql/statement.ts";

describe("SQL that is written out", () => {
  test("makes every value a parameter, in its place", () => {
    const hostile = "'; DROP TABLE rooms; --";
    expect(sql`SELECT ${1} FROM a WHERE b = ${hostile} AND c = ${null}`).toEqual({
      sql: "SELECT ? FROM a WHERE b = ? AND c = ?",
      params: [1, hostile, null],
    });
  });

  test("takes a statement in, with its parameters in their place", () => {
    const inner = sql`SELECT x FROM y WHERE z = ${"in"}`;
    expect(sql`SELECT ${raw("a")} FROM b WHERE c = ${"before"} AND d IN (${inner}) AND e = ${"after"}`).toEqual({
      sql: "SELECT a FROM b WHERE c = ? AND d IN (SELECT x FROM y WHERE z = ?) AND e = ?",
      params: ["before", "in", "after"],
    });
  });

  test("is another text when another statement is taken in", () => {
    expect(of([1, 2]).sql).toBe("SELECT 1 WHERE 1 IN (?, ?) LIMIT 0 + CAST(? AS BIGINT)");
    expect(of([1]).sql).toBe("SELECT 1 WHERE 1 IN (?) LIMIT 0 + CAST(? AS BIGINT)");
    expect(of([3, 4])).toEqual({ sql: of([1, 2]).sql, params: [3, 4, 5] });
  });

  test("an empty list matches nothing", () => {
    expect(sql`a IN (${list([])})`).toEqual({ sql: "a IN (NULL)", params: [] });
  });

  test("keeps the order of parameters when statements are joined", () => {
    const parts = [sql`a = ${1}`, sql`b = 2`, sql`c = ${3}`];
    expect(join(parts, " AND ")).toEqual({ sql: "a = ? AND b = 2 AND c = ?", params: [1, 3] });
  });
});

function of(values: readonly number[]) {
  return sql`SELECT 1 WHERE 1 IN (${list(values)}) ${limit(5)}`;
}
