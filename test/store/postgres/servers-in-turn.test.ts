import { describe, expect, test } from "vitest";
import { postgresFault } from "../../../src/store/postgres/faults.ts";
import { judgeKind, mayPassSoon, reasonAmong, serversInTurn } from "../../../src/store/postgres/servers-in-turn.ts";

const BOTH = "postgres://u,1:p@one:1,[::2]:6000/tt?x=1";
const ONE = "postgres://u,1:p@one:1/tt?x=1";
const TWO = "postgres://u,1:p@[::2]:6000/tt?x=1";

test("the server that accepted an earlier connection is tried first", () => {
  expect(serversInTurn(BOTH, undefined)).toEqual([ONE, TWO]);
  expect(serversInTurn(BOTH, TWO)).toEqual([TWO, ONE]);
  expect(serversInTurn("postgres:///tt", undefined)).toEqual(["postgres:///tt"]);
});

const refusal = (address: string, isStandby: boolean) => {
  try {
    judgeKind({ is_standby: isStandby }, address);
    return null;
  } catch (error) {
    return error;
  }
};

test.each([
  ["postgres://one/tt", [true, true]],
  ["postgres://one,two/tt", [true, false]],
  ["postgres://one/tt?target_session_attrs=primary", [true, false]],
  ["postgres://one,two/tt?target_session_attrs=read-write", [true, false]],
  ["postgres://one,two/tt?target_session_attrs=standby", [false, true]],
  ["postgres://one,two/tt?target_session_attrs=read-only", [false, true]],
  ["postgres://one,two/tt?target_session_attrs=prefer-standby", [true, true]],
])("%s takes a primary and a standby: %j", (address, taken) => {
  expect([false, true].map((isStandby) => refusal(address, isStandby) === null)).toEqual(taken);
});

describe("the reason among several servers", () => {
  const full = postgresFault(Object.assign(new Error("too many clients"), { code: "53300", severity: "FATAL" }));
  const password = postgresFault(Object.assign(new Error("password"), { code: "28P01", severity: "FATAL" }));
  const refused = postgresFault(Object.assign(new Error("connect"), { code: "ECONNREFUSED" }));
  const standby = refusal("postgres://one,two/tt", true) as Error;

  test("is the one that tells most", () => {
    expect(reasonAmong([standby, full, refused])).toBe(full);
    expect(reasonAmong([refused, standby, password])).toBe(standby);
    expect(reasonAmong([password, refused])).toBe(password);
    expect(reasonAmong([refused])).toBe(refused);
  });

  test("is waited for where a connection may become free, or a standby be promoted", () => {
    expect([full, standby, password, refused].map(mayPassSoon)).toEqual([true, true, false, false]);
  });
});
