/** How Gemini CLI 0.61.0 writes down that its user stopped a turn. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Whereabouts } from "../../src/engine/ports/peer-sights.ts";
import { createPeerSights } from "../../src/harness/peer-sights.ts";
import { createSystemClock } from "../../src/platform/clock/clock.ts";
import { createProcessProbe } from "../../src/platform/process/process-probe.ts";
import type { Activity } from "../../src/session/rules/session.ts";
import { openReadOnlyDatabase } from "../../src/store/sqlite/driver.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const probe = createProcessProbe({ host: "local" });
const at = (second: number) => `2026-11-16T11:10:${second.toString().padStart(2, "0")}.500Z`;
const BUSY: Activity = { state: "busy", since: at(10) };
const UPDATED = { $set: { lastUpdated: at(1) } };
const prompt = (second: number) => ({ timestamp: at(second), type: "user", content: [{ text: "Go on." }] });
const answer = (second: number) => ({ timestamp: at(second), type: "gemini", content: "", toolCalls: [{ id: "a" }] });
const stopped = (second: number) => ({ timestamp: at(second), type: "info", content: "Request cancelled." });
const result = (second: number) => ({ timestamp: at(second), type: "user", content: [{ functionResponse: {} }] });
const rewritten = { $set: { messages: [prompt(1), answer(2)] } };

function activity(records: readonly (object | string)[], peer: Partial<Whereabouts> = {}, aheadMs = 0) {
  const home = temporaryDirectory();
  const transcriptPath = join(home, "session.jsonl");
  const lines = records.map((record) => (typeof record === "string" ? record : JSON.stringify(record)));
  writeFileSync(transcriptPath, `${lines.join("\n")}\n`);
  const clock = { ...createSystemClock(), aheadMs };
  const sights = createPeerSights({ env: {}, home, clock, probe, openDatabase: openReadOnlyDatabase });
  const known = { harness: "gemini", sessionId: "s", process: probe.self(), cwd: null, transcriptPath };
  return sights.activity({ ...known, activity: BUSY, ...peer });
}

test.each<[string, readonly object[]]>([
  ["during a tool", [prompt(11), answer(12), stopped(14), UPDATED, answer(13), result(14), UPDATED]],
  ["by a no to its question", [prompt(11), answer(12), stopped(14), UPDATED, prompt(14), answer(14), rewritten]],
  ["before its first answer", [prompt(11), UPDATED, stopped(14), UPDATED, rewritten]],
])("a turn that its user stopped %s is over since then", (_, records) => {
  expect(activity([prompt(1), answer(2), ...records])).toEqual({ state: "idle", since: at(14) });
});

test.each<[string, readonly (object | string)[], Partial<Whereabouts>]>([
  ["a turn that goes on", [prompt(11), answer(12)], {}],
  ["a turn that was stopped before", [prompt(5), stopped(6), prompt(11), answer(12)], {}],
  ["a prompt that is not written down yet, after such a turn", [prompt(5), stopped(6), rewritten], {}],
  ["the same words in a prompt", [{ ...prompt(11), content: [{ text: "Request cancelled." }] }], {}],
  ["half a line", [prompt(11), '{"type":"info","con'], {}],
  ["a session that is not at work", [stopped(14)], { activity: { state: "idle", since: at(10) } }],
  ["a session of which no hook has told", [stopped(14)], { activity: { state: "busy", since: null } }],
  ["a process that is gone", [stopped(14)], { process: { ...probe.self(), startTicks: "1" } }],
  ["another harness", [stopped(14)], { harness: "codex" }],
  ["a transcript that is not there", [stopped(14)], { transcriptPath: "/nowhere/at/all.jsonl" }],
])("%s says nothing", (_, records, peer) => {
  expect(activity(records, peer)).toBeNull();
});

test("on a machine whose clock is behind the server's, a stop is found and dated by the server's clock", () => {
  const begun: Activity = { state: "busy", since: "2026-11-16T11:20:10.500Z" };
  const tenMinutes = 600_000;
  const found = activity([prompt(11), answer(12), stopped(14)], { activity: begun }, tenMinutes);
  expect(found).toEqual({ state: "idle", since: "2026-11-16T11:20:14.500Z" });
});
