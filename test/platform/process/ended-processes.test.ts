import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { asAgentId, asLeaseId, asRoomId } from "../../../src/core/ids.ts";
import { openAgentFiles } from "../../../src/platform/agents/agent-files.ts";
import { createRetiredSessions } from "../../../src/platform/agents/retired-sessions.ts";
import { readSessionCard, writeSessionCard } from "../../../src/platform/agents/session-card.ts";
import { createSessionClaims, readStickyClaim } from "../../../src/platform/agents/sticky-claim.ts";
import { removeRecordsOfEnded } from "../../../src/platform/process/ended-processes.ts";
import { createProcessProbe } from "../../../src/platform/process/process-probe.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const SESSION = { harness: "claude", sessionId: "1234", transcriptPath: null };
const probe = createProcessProbe({ host: "local" });
const alive = probe.self();
const ended = { ...alive, startTicks: "1" };
const ofAnotherHost = { ...ended, host: "elsewhere" };

function dataDirectory(): string {
  const dataDir = temporaryDirectory();
  mkdirSync(join(dataDir, "agents"), { mode: 0o700 });
  return dataDir;
}

it("cards and claims of a process that is gone are removed, those of all others stay", () => {
  const dataDir = dataDirectory();
  for (const process of [alive, ended, ofAnotherHost]) {
    writeSessionCard(dataDir, process, SESSION);
    createSessionClaims(dataDir).write(process, SESSION);
  }
  removeRecordsOfEnded(dataDir, probe);
  const left = [alive, ended, ofAnotherHost].map((process) => [
    readSessionCard(dataDir, process) !== null,
    readStickyClaim(dataDir, process) !== null,
  ]);
  expect(left).toEqual([
    [true, true],
    [false, false],
    [true, true],
  ]);
});

it("a session that is over is forgotten after a reboot, and not before", () => {
  const dataDir = dataDirectory();
  const retired = createRetiredSessions(dataDir);
  const [now, before] = [alive.bootId, "another-boot"].map((sessionId) => ({ harness: "claude", sessionId }));
  for (const session of [now!, before!])
    retired.retire(session, { at: { epoch: session.sessionId, ms: 5 }, process: alive });
  removeRecordsOfEnded(dataDir, probe);
  expect(retired.read(before!)).toBeNull();
  expect(retired.read(now!)).toEqual({ at: { epoch: alive.bootId, ms: 5 }, process: alive });
  retired.revive(now!);
  expect(retired.read(now!)).toBeNull();
});

it("nothing else in the directory is touched", () => {
  const dataDir = dataDirectory();
  const turn = { turnId: 1, leaseId: asLeaseId("secret") };
  openAgentFiles(dataDir).rememberTurn({ agentId: asAgentId("a:1") }, asRoomId("room"), turn);
  for (const name of ["card.", "card.%zz", "card.%ff", "claim.a%2fb", "card.x%2fy%2fz%2f0%2f1", "notes"]) {
    writeFileSync(join(dataDir, "agents", name), "");
  }
  const before = readdirSync(join(dataDir, "agents"));
  removeRecordsOfEnded(dataDir, probe);
  expect(readdirSync(join(dataDir, "agents"))).toEqual(before);
});

it("of very many only a few are looked at, and in the end all of them", () => {
  const dataDir = dataDirectory();
  const count = () => readdirSync(join(dataDir, "agents")).length;
  for (let ticks = 1; ticks <= 50; ticks += 1) {
    writeSessionCard(dataDir, { ...ended, startTicks: String(ticks) }, SESSION);
  }
  removeRecordsOfEnded(dataDir, probe);
  expect(count()).toBe(42);
  while (count() > 0) removeRecordsOfEnded(dataDir, probe);
});

it("without a directory there is nothing to do", () => {
  expect(() => removeRecordsOfEnded(join(temporaryDirectory(), "none"), probe)).not.toThrow();
});
