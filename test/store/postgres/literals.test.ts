import { describe, expect, test } from "vitest";
import { withLiterals } from "../../../src/store/postgres/literals.ts";
import { sql } from "../../../src/store/sql/statement.ts";

describe("a statement with its values in the text", () => {
  test("has each value in its place, and NULL for none", () => {
    expect(withLiterals(sql`SELECT ${"a"}, ${1.5}, ${null}, ${"b"}`)).toBe("SELECT  E'a',  E'1.5', NULL,  E'b'");
  });

  test("has quotes and backslashes twice, whatever follows them", () => {
    expect(withLiterals(sql`SELECT ${"'; DROP TABLE rooms; --"}`)).toBe("SELECT  E'''; DROP TABLE rooms; --'");
    expect(withLiterals(sql`SELECT ${"\\'"}`)).toBe("SELECT  E'\\\\'''");
  });

  test("does not take a question mark in a value for a place, nor a word of a replacement for one", () => {
    expect(withLiterals(sql`SELECT ${"?"}, ${"$&$1"}`)).toBe("SELECT  E'?',  E'$&$1'");
  });

  test("stays as it is without values", () => {
    expect(withLiterals(sql`SELECT 1`)).toBe("SELECT 1");
  });

  test("is none when a value holds a NUL, which would end the text", () => {
    expect(withLiterals(sql`SELECT ${"a\0b"}`)).toBeNull();
  });
});
