import { expect, test } from "vitest";
import { judgeServer, setInTransaction } from "../../../src/store/postgres/settings.ts";

const OPTIONS = { schema: "talking_stick", budgetMs: 10_000 };
const PID = 4711;
const FINE = {
  pid: PID,
  server_version_num: "150006",
  server_version: "15.6 (Debian 15.6-0+deb12u1)",
  server_encoding: "UTF8",
  search_path: "talking_stick",
  synchronous_commit: "on",
};

test("a server that began the connection itself is reached directly", () => {
  expect(judgeServer(FINE, PID, OPTIONS)).toBe("direct");
});

test("if another process of the server answers than was announced, a pooler stands before it", () => {
  expect(judgeServer(FINE, PID + 1, OPTIONS)).toBe("pooled");
  expect(judgeServer({ ...FINE, search_path: "public" }, PID + 1, OPTIONS)).toBe("pooled");
});

test.each([
  ["120022", "12.22", true],
  ["130000", "13.0", false],
])("a server with the version number %s (%s) is refused: %s", (number, version, isRefused) => {
  const judge = () => judgeServer({ ...FINE, server_version_num: number, server_version: version }, PID, OPTIONS);
  if (!isRefused) return expect(judge()).toBe("direct");
  return expect(judge).toThrow(
    expect.objectContaining({
      code: "store_unsafe",
      retry: false,
      message: "The server has PostgreSQL 12.22.",
      next: expect.stringContaining("version 13 or newer"),
    }),
  );
});

test("an old server is refused behind a pooler, too", () => {
  expect(() => judgeServer({ ...FINE, server_version_num: "120022" }, PID + 1, OPTIONS)).toThrow("PostgreSQL");
});

test("a database with another encoding is refused", () => {
  expect(() => judgeServer({ ...FINE, server_encoding: "SQL_ASCII" }, PID, OPTIONS)).toThrow(
    expect.objectContaining({ code: "store_unsafe", next: expect.stringContaining("UTF-8") }),
  );
});

test.each([
  ["search_path", "public"],
  ["synchronous_commit", "off"],
])("a connection whose %s is %s is refused, and the address is named", (name, value) => {
  expect(() => judgeServer({ ...FINE, [name]: value }, PID, OPTIONS)).toThrow(
    expect.objectContaining({
      code: "store_unsafe",
      facts: { setting: name, value },
      next: expect.stringContaining(`Remove ${name} from the address`),
    }),
  );
});

test("the settings of a transaction end with it", () => {
  const statement = setInTransaction(OPTIONS);
  for (const name of ["search_path", "synchronous_commit", "lock_timeout", "statement_timeout", "jit"])
    expect(statement).toMatch(new RegExp(`set_config\\('${name}', +E'[^']+', true\\)`));
});
