/** What Claude Code writes about itself, as version 2.1.325 wrote it. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Whereabouts } from "../../src/engine/ports/peer-sights.ts";
import { createPeerSights } from "../../src/harness/peer-sights.ts";
import { createSystemClock } from "../../src/platform/clock/clock.ts";
import { createProcessProbe } from "../../src/platform/process/process-probe.ts";
import { openReadOnlyDatabase } from "../../src/store/sqlite/driver.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const SESSION_ID = "edcefcf7-0347-4c96-9258-f30c3aa73129";
const probe = createProcessProbe({ host: "local" });

function activity(file: object | string, peer: Partial<Whereabouts> = {}) {
  const home = temporaryDirectory();
  mkdirSync(join(home, ".claude/sessions"), { recursive: true });
  const text = typeof file === "string" ? file : JSON.stringify({ ...WRITTEN, ...file });
  writeFileSync(join(home, ".claude/sessions", `${process.pid}.json`), text);
  const sights = createPeerSights({
    env: {},
    home,
    clock: createSystemClock(),
    probe,
    openDatabase: openReadOnlyDatabase,
  });
  const known = { harness: "claude", sessionId: SESSION_ID, process: probe.self(), cwd: null, transcriptPath: null };
  return sights.activity({ ...known, ...peer });
}

const WRITTEN = {
  pid: process.pid,
  sessionId: SESSION_ID,
  cwd: "/home/ada/notes",
  version: "2.1.325",
  kind: "interactive",
  status: "idle",
  updatedAt: 1794733096414,
  statusUpdatedAt: 1794733096414,
};

test.each([
  ["busy", "busy"],
  ["idle", "idle"],
  ["shell", "idle"],
])("%s is %s, since it was written", (status, state) => {
  expect(activity({ status })).toEqual({ state, since: "2026-11-15T08:58:16.414Z" });
});

test("waiting is the middle of a turn, and its user has to answer", () => {
  const since = "2026-11-15T08:58:16.414Z";
  expect(activity({ status: "waiting" })).toEqual({ state: "busy", since, asksUser: true });
});

test.each<[string, object | string, Partial<Whereabouts>]>([
  ["a status that is not known", { status: "dreaming" }, {}],
  ["another process", { pid: 1 }, {}],
  ["another session of the process", { sessionId: "another" }, {}],
  ["half a file", '{"pid": ', {}],
  ["no object", "7", {}],
  ["a harness that keeps no such file", {}, { harness: "codex" }],
  ["a session whose process is not known", {}, { process: null }],
  ["a process that is gone", {}, { process: { ...probe.self(), startTicks: "1" } }],
])("%s says nothing", (_, file, peer) => {
  expect(activity(file, peer)).toBeNull();
});

test("a time that is none is not told", () => {
  expect(activity({ statusUpdatedAt: "soon" })).toEqual({ state: "idle", since: null });
});
