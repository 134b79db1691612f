/** What doctor says of a database server, by what the server says of itself. */
import { expect, it } from "vitest";
import type { ServerSight } from "../../../src/engine/ports/store.ts";
import { type SeenServer, serverFindings } from "../../../src/surfaces/cli/commands/setup/server-findings.ts";

const healthy: ServerSight = {
  moment: { instant: { epoch: "postgres", ms: 0 }, suspendedMs: 0, wallMs: 0 },
  version: "18.4",
  role: { name: "tt", isSuperuser: false },
  isEncrypted: true,
  connections: { used: 10, ours: 7, free: 87 },
  size: { bytes: 12_345_678, liveRows: 90_000, deadRows: 60_000 },
  settings: { fsync: "on", fullPageWrites: "on", autovacuum: "on", synchronousStandbys: "" },
  replicas: 0,
  oldestTransaction: { pid: 77, program: "talking-stick", ageMs: 59_000 },
};

function found(server: Partial<ServerSight>, more: Partial<Omit<SeenServer, "server">> = {}) {
  return serverFindings({ server: { ...healthy, ...server }, roundTripMs: 2, aheadMs: 29_000, ...more });
}

const problems = (...given: Parameters<typeof found>) =>
  found(...given)
    .filter(({ level }) => level !== "ok")
    .map(({ level, text, next }) => [level, text, next]);

it("a healthy server is told in two lines", () => {
  expect(found({}).map(({ level, text }) => `${level}: ${text}`)).toEqual([
    "ok: PostgreSQL 18.4, answers within 2 ms, 12.3 MB, encrypted",
    "ok: 10 of 97 connections are in use, 7 of them by tt",
  ]);
});

it("a server that hides whether the connection is encrypted says nothing of it", () => {
  expect(found({ isEncrypted: null })[0]?.text).toBe("PostgreSQL 18.4, answers within 2 ms, 12.3 MB");
});

it.each([
  ["a far server", {}, { roundTripMs: 101 }, /answers within 101 ms.*each command waits/],
  ["a server with few free connections", { connections: { used: 80, ours: 70, free: 20 } }, {}, /80 of 100/],
  ["a full server", { connections: { used: 100, ours: 70, free: -3 } }, {}, /100 of 100 connections/],
  ["a superuser", { role: { name: "postgres", isSuperuser: true } }, {}, /postgres is a superuser/],
  ["a replica that commits do not wait for", { replicas: 1 }, {}, /one replica follows, but .* newest changes/],
  ["dead rows", { size: { bytes: 1, liveRows: 50_000, deadRows: 50_000 } }, {}, /50000 dead rows .* 50000 live/],
  ["no autovacuum", { settings: { ...healthy.settings, autovacuum: "off" } }, {}, /autovacuum is off/],
  ["a clock ahead", {}, { aheadMs: 600_000 }, /10m ahead of the server's: .* transcripts/],
  ["a clock behind", {}, { aheadMs: -30_000 }, /30s behind the server's/],
] as const)("doctor warns of %s", (_, server, more, text) => {
  expect(problems(server, more)).toEqual([["warning", expect.stringMatching(text), expect.stringMatching(/\w/)]]);
});

it("a transaction that stays open is told with what ends it", () => {
  const oldestTransaction = { pid: 77, program: "", ageMs: 60_000 };
  expect(problems({ oldestTransaction })).toEqual([
    [
      "warning",
      "a program (server process 77) has had a transaction open for 1m: old rows cannot be removed meanwhile",
      "end that program, or let the server end it by its pg_terminate_backend(77)",
    ],
  ]);
});

it("a server that does not wait for its disk is broken, and each setting is named", () => {
  const settings = { ...healthy.settings, fsync: "off", fullPageWrites: "off" };
  expect(problems({ settings }).map(([level, text]) => [level, String(text).split(":")[0]])).toEqual([
    ["broken", "fsync is off"],
    ["broken", "full_page_writes is off"],
  ]);
});

it("a replica that commits wait for is no warning", () => {
  const settings = { ...healthy.settings, synchronousStandbys: "ANY 1 (*)" };
  expect(problems({ replicas: 2, settings })).toEqual([]);
  expect(found({ replicas: 2, settings }).at(-1)?.text).toBe("2 replicas follow, and commits wait for it");
});
