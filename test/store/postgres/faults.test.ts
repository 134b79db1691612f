import { describe, expect, test } from "vitest";
import { invariant } from "../../../src/domain/invariant.ts";
import { isBroken, isConflict, postgresFault } from "../../../src/store/postgres/faults.ts";

function serverError(code: string, severity = "ERROR"): Error {
  return Object.assign(new Error("the server said so"), { code, severity });
}

function connectionError(code: string): Error {
  return Object.assign(new Error(`write ${code} 127.0.0.1:5432`), { code });
}

const states: readonly (readonly [name: string, sqlstate: string, fault: string, retry: boolean])[] = [
  ["lock_not_available", "55P03", "store_busy", true],
  ["query_canceled", "57014", "store_busy", true],
  ["idle_in_transaction_session_timeout", "25P03", "store_busy", true],
  ["serialization_failure", "40001", "store_busy", true],
  ["deadlock_detected", "40P01", "store_busy", true],
  ["too_many_connections", "53300", "store_busy", true],
  ["disk_full", "53100", "store_full", true],
  ["read_only_sql_transaction", "25006", "store_readonly", false],
  ["insufficient_privilege", "42501", "store_readonly", false],
  ["data_corrupted", "XX001", "store_corrupt", false],
  ["index_corrupted", "XX002", "store_corrupt", false],
  ["undefined_table", "42P01", "store_corrupt", false],
  ["check_violation", "23514", "store_corrupt", false],
  ["admin_shutdown", "57P01", "store_unreachable", true],
  ["cannot_connect_now", "57P03", "store_unreachable", true],
  ["connection_failure", "08006", "store_unreachable", true],
  ["internal_error", "XX000", "store_unreachable", true],
  ["invalid_password", "28P01", "store_unreachable", false],
  ["invalid_catalog_name", "3D000", "store_unreachable", false],
];

test.each(states)("%s (%s) is %s", (_name, sqlstate, code, retry) => {
  const cause = serverError(sqlstate);
  const fault = postgresFault(cause);
  expect(fault).toMatchObject({ name: "Fault", code, retry, cause, outcomeUnknown: false, facts: { sqlstate } });
});

test.each(["ECONNREFUSED", "ECONNRESET", "ENOTFOUND", "CONNECTION_CLOSED", "CONNECT_TIMEOUT"])(
  "%s is store_unreachable",
  (code) => {
    expect(postgresFault(connectionError(code))).toMatchObject({ code: "store_unreachable", retry: true });
  },
);

describe("the outcome of a commit", () => {
  test("is open when the connection broke", () => {
    expect(postgresFault(connectionError("ECONNRESET"), true)).toMatchObject({ outcomeUnknown: true });
    expect(postgresFault(serverError("57P01", "FATAL"), true)).toMatchObject({ outcomeUnknown: true });
  });

  test("is known when the server answered", () => {
    expect(postgresFault(serverError("23514"), true)).toMatchObject({ outcomeUnknown: false });
  });
});

test("only what another transaction caused is worth deciding again", () => {
  expect(["23505", "40001", "40P01"].map((code) => isConflict(serverError(code)))).toEqual([true, true, true]);
  expect(["23514", "55P03"].map((code) => isConflict(serverError(code)))).toEqual([false, false]);
});

test("a connection is broken when it fell silent or the server's word was its last", () => {
  expect(isBroken(connectionError("EPIPE"))).toBe(true);
  expect(isBroken(serverError("57P01", "FATAL"))).toBe(true);
  expect(isBroken(serverError("55P03"))).toBe(false);
});

test("a bug stays a bug", () => {
  let bug: unknown;
  try {
    invariant(false, "broken");
  } catch (error) {
    bug = error;
  }
  expect(postgresFault(bug)).toBe(bug);
});
