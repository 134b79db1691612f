import { describe, expect, test } from "vitest";
import { invariant } from "../../../src/core/invariant.ts";
import {
  isBroken,
  isConflict,
  isFull,
  isRefusedSetting,
  postgresFault,
  stillRefused,
} from "../../../src/store/postgres/faults.ts";
import { hostOf } from "../../../src/store/postgres/tls.ts";

function serverError(code: string, severity = "ERROR"): Error {
  return Object.assign(new Error("the server said so"), { code, severity });
}

function connectionError(code: string): Error {
  return Object.assign(new Error(`write ${code} 127.0.0.1:5432`), { code });
}

const LOCKS = /locks/;
const CONNECTIONS = /connections/;
const LIMITS = /memory|limit/;
const ADDRESS = /address of the store/;
const POOLER = /session mode or connect directly/;
const PRIMARY = /primary/;
const RUNS = /server runs/;
const LOG = /log of the database server/;
const BACKUP = /backup/;

const states: readonly (readonly [name: string, sqlstate: string, fault: string, retry: boolean, advice: RegExp])[] = [
  ["lock_not_available", "55P03", "store_busy", true, LOCKS],
  ["query_canceled", "57014", "store_busy", true, LOCKS],
  ["idle_in_transaction_session_timeout", "25P03", "store_busy", true, LOCKS],
  ["serialization_failure", "40001", "store_busy", true, LOCKS],
  ["deadlock_detected", "40P01", "store_busy", true, LOCKS],
  ["unique_violation", "23505", "store_busy", true, /at the same time/],
  ["too_many_connections", "53300", "store_busy", true, CONNECTIONS],
  ["out_of_memory", "53200", "store_busy", true, LIMITS],
  ["configuration_limit_exceeded", "53400", "store_busy", true, LIMITS],
  ["disk_full", "53100", "store_full", true, /disk space/],
  ["read_only_sql_transaction", "25006", "store_readonly", false, PRIMARY],
  ["insufficient_privilege", "42501", "store_readonly", false, /role that may/],
  ["data_corrupted", "XX001", "store_corrupt", false, BACKUP],
  ["index_corrupted", "XX002", "store_corrupt", false, BACKUP],
  ["undefined_table", "42P01", "store_unsafe", false, /dropped or changed/],
  ["undefined_column", "42703", "store_unsafe", false, /dropped or changed/],
  ["invalid_schema_name", "3F000", "store_unsafe", false, /dropped or changed/],
  ["undefined_function", "42883", "store_unsafe", false, /version 13/],
  ["feature_not_supported", "0A000", "store_unsafe", false, /version 13/],
  ["in_failed_sql_transaction", "25P02", "store_busy", true, /other processes changed/],
  ["invalid_sql_statement_name", "26000", "store_unsafe", false, POOLER],
  ["duplicate_prepared_statement", "42P05", "store_unsafe", false, POOLER],
  ["admin_shutdown", "57P01", "store_unreachable", true, RUNS],
  ["crash_shutdown", "57P02", "store_unreachable", true, RUNS],
  ["cannot_connect_now", "57P03", "store_unreachable", true, RUNS],
  ["connection_failure", "08006", "store_unreachable", true, RUNS],
  ["protocol_violation", "08P01", "store_unreachable", true, RUNS],
  ["io_error", "58030", "store_unreachable", true, LOG],
  ["internal_error", "XX000", "store_unreachable", true, LOG],
  ["invalid_password", "28P01", "store_unreachable", false, /address of the store.*VALID UNTIL/],
  ["duplicate_table", "42P07", "store_unsafe", false, /another program/],
  ["wrong_object_type", "42809", "store_unsafe", false, /another program/],
  ["invalid_authorization_specification", "28000", "store_unreachable", false, ADDRESS],
  ["invalid_catalog_name", "3D000", "store_unreachable", false, ADDRESS],
];

test.each(states)("%s (%s) is %s", (_name, sqlstate, code, retry, advice) => {
  const cause = serverError(sqlstate);
  const fault = postgresFault(cause);
  expect(fault).toMatchObject({ name: "Fault", code, retry, cause, outcomeUnknown: false, facts: { sqlstate } });
  expect(fault).toMatchObject({ next: expect.stringMatching(advice) });
  if (code !== "store_corrupt") expect(fault).toMatchObject({ next: expect.not.stringMatching(BACKUP) });
});

test.each([
  ["numeric_value_out_of_range", "22003"],
  ["check_violation", "23514"],
  ["foreign_key_violation", "23503"],
  ["syntax_error", "42601"],
  ["program_limit_exceeded", "54000"],
])("%s (%s) is a bug of this program, and no word about a backup", (_name, sqlstate) => {
  const cause = serverError(sqlstate);
  const bug = postgresFault(cause);
  expect(bug).toMatchObject({ name: "InvariantError", cause });
  expect(bug.message).toContain(sqlstate);
  expect(bug.message).not.toMatch(BACKUP);
});

test("a server that lets nobody in because it is a standby is read-only", () => {
  const error = Object.assign(serverError("57P03", "FATAL"), { detail: "Hot standby mode is disabled." });
  expect(postgresFault(error)).toMatchObject({ code: "store_readonly", retry: false });
});

function poolerError(words: string): Error {
  return Object.assign(new Error(words), { code: "08P01", severity_local: "FATAL" });
}

test("a pooler that refuses a setting is named, with the setting of its own that helps", () => {
  const error = poolerError("unsupported startup parameter: work_mem");
  expect(isRefusedSetting(error)).toBe(true);
  expect(postgresFault(error)).toMatchObject({
    code: "store_unsafe",
    next: expect.stringMatching(/pooler.*ignore_startup_parameters/),
  });
});

test.each(["no more connections allowed (max_client_conn)", "query_wait_timeout"])(
  "a pooler that is full is busy: %s",
  (words) => {
    const fault = postgresFault(poolerError(words));
    expect(isFull(fault)).toBe(true);
    expect(fault).toMatchObject({ code: "store_busy", retry: true, next: expect.stringMatching(/max_client_conn/) });
  },
);

test("a server is full by its code only, and says so after a wait", () => {
  const fault = postgresFault(serverError("53300", "FATAL"));
  expect([isFull(fault), isFull(postgresFault(serverError("53200"))), isFull(poolerError("trouble"))]).toEqual([
    true,
    false,
    false,
  ]);
  expect(stillRefused(fault, 1200)).toMatchObject({
    code: "store_busy",
    retry: true,
    message: "The database had no free connection for 1200 ms: the server said so.",
    facts: { sqlstate: "53300", waited_ms: 1200 },
    next: expect.stringMatching(CONNECTIONS),
  });
});

test("what a server refuses before any statement was in the address", () => {
  for (const sqlstate of ["42704", "22023"])
    expect(postgresFault(serverError(sqlstate, "FATAL"))).toMatchObject({
      code: "store_unreachable",
      retry: false,
      next: expect.stringMatching(ADDRESS),
    });
});

test.each([
  ["42501", 'permission denied for database "tt"', "store_unreachable", /GRANT CONNECT/],
  ["28000", 'no pg_hba.conf entry for host "::1", user "tt", no encryption', "store_unreachable", /sslmode/],
  ["42704", 'unrecognized configuration parameter "jit"', "store_unsafe", /version 13/],
])("a connection that the server refuses with %s (%s) is %s", (sqlstate, words, code, advice) => {
  const refused = Object.assign(new Error(words), { code: sqlstate, severity: "FATAL" });
  expect(postgresFault(refused)).toMatchObject({ code, retry: false, next: expect.stringMatching(advice) });
});

test.each([
  ["CERT_HAS_EXPIRED", /Renew.*clock/],
  ["CERT_NOT_YET_VALID", /Renew.*clock/],
  ["SELF_SIGNED_CERT_IN_CHAIN", /sslrootcert/],
  ["ERR_TLS_CERT_ALTNAME_INVALID", /name in its certificate/],
])("a certificate that is refused with %s has its own advice", (code, advice) => {
  expect(postgresFault(connectionError(code))).toMatchObject({
    code: "store_unsafe",
    retry: false,
    next: expect.stringMatching(advice),
  });
});

test("a call that the driver does not understand is a bug of this program", () => {
  expect(postgresFault(connectionError("MAX_PARAMETERS_EXCEEDED"))).toMatchObject({ name: "InvariantError" });
});

test.each(["ECONNREFUSED", "ECONNRESET", "ENOTFOUND", "CONNECTION_CLOSED", "CONNECT_TIMEOUT"])(
  "%s is store_unreachable",
  (code) => {
    expect(postgresFault(connectionError(code))).toMatchObject({ code: "store_unreachable", retry: true });
  },
);

describe("the outcome of a commit", () => {
  test("is open when the connection broke", () => {
    expect(postgresFault(connectionError("ECONNRESET"), { committing: true })).toMatchObject({ outcomeUnknown: true });
    expect(postgresFault(serverError("57P01", "FATAL"), { committing: true })).toMatchObject({ outcomeUnknown: true });
  });

  test("is known when the server answered", () => {
    expect(postgresFault(serverError("55P03"), { committing: true })).toMatchObject({ outcomeUnknown: false });
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

test("an IPv6 host is given to the driver apart, which would cut it at its first colon", () => {
  expect(hostOf("postgres://u:p@[2001:db8::7]:6000/tt")).toEqual({ host: ["2001:db8::7"], port: [6000] });
  expect(hostOf("postgres://[::1]/tt")).toEqual({ host: ["::1"], port: [5432] });
  for (const url of ["postgres://u:p@db:5432/tt", "postgres:///tt"]) expect(hostOf(url)).toEqual({});
});
