import { expect, test } from "vitest";
import { judgeServer, judgeSettings, routeIn, setInTransaction } from "../../../src/store/postgres/settings.ts";

const OPTIONS = { schema: "talking_stick", budgetMs: 10_000 };
const PID = 4711;
const FINE = {
  pid: PID,
  server_version_num: "150006",
  server_version: "15.6 (Debian 15.6-0+deb12u1)",
  server_encoding: "UTF8",
  client_encoding: "UTF8",
  search_path: "talking_stick",
  synchronous_commit: "on",
};

test("a server that began the connection itself is reached directly", () => {
  expect(routeIn(FINE, PID)).toBe("direct");
  expect(() => judgeSettings(FINE, OPTIONS)).not.toThrow();
});

test("if another process of the server answers than was announced, a pooler stands before it", () => {
  expect(routeIn(FINE, PID + 1)).toBe("pooled");
});

test.each([
  ["120022", "12.22", true],
  ["130000", "13.0", false],
])("a server with the version number %s (%s) is refused: %s", (number, version, isRefused) => {
  const judge = () => judgeServer({ ...FINE, server_version_num: number, server_version: version });
  if (!isRefused) return expect(judge).not.toThrow();
  return expect(judge).toThrow(
    expect.objectContaining({
      code: "store_unsafe",
      retry: false,
      message: "The server has PostgreSQL 12.22.",
      next: expect.stringContaining("version 13 or newer"),
    }),
  );
});

test("a database with another encoding is refused", () => {
  expect(() => judgeServer({ ...FINE, server_encoding: "SQL_ASCII" })).toThrow(
    expect.objectContaining({ code: "store_unsafe", next: expect.stringContaining("UTF-8") }),
  );
});

test.each([
  ["search_path", "public"],
  ["synchronous_commit", "off"],
  ["client_encoding", "SJIS"],
])("a connection whose %s is %s is refused, and the address is named", (name, value) => {
  const answer = { ...FINE, [name]: value };
  const judge = () => {
    judgeServer(answer);
    judgeSettings(answer, OPTIONS);
  };
  expect(judge).toThrow(
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
