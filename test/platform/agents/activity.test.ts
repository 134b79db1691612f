import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createActivityLog, leaveSign } from "../../../src/platform/agents/activity.ts";
import { createSystemClock } from "../../../src/platform/clock/clock.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const now = { instant: { epoch: "boot-7", ms: 100_000 }, suspendedMs: 0, wallMs: 1_700_000_000_000 };

function world(procRoot = "/proc") {
  const dataDir = temporaryDirectory();
  mkdirSync(join(dataDir, "activity"));
  const log = createActivityLog({ dataDir, procRoot, clock: { now: () => now } });
  const pathOf = (session: string) => join(dataDir, "activity", session);
  return { dataDir, log, pathOf, write: (session: string, text: string) => writeFileSync(pathOf(session), text) };
}

describe("a sign written as an uptime", () => {
  test.each([
    ["both words of /proc/uptime", "98.50 12.25\n", 98_500],
    ["the first word alone", "98.50", 98_500],
    ["the present", "100.00\n", 100_000],
    ["a moment ahead, which counts as the present", "100.90\n", 100_000],
    ["more than a second ahead", "101.01\n", null],
    ["nothing", "", null],
    ["words", "alive\n", null],
    ["a negative number", "-5\n", null],
    ["too much text", "1 ".repeat(200), null],
    ["binary", "\0\0\0", null],
  ])("%s", (_, text, ms) => {
    const { log, write } = world();
    write("session-1", text);
    expect(log.lastSign("session-1")).toEqual(ms === null ? null : { epoch: "boot-7", ms });
  });

  test("what the shell of a hook writes is read back", () => {
    const { dataDir, pathOf } = world();
    const script = 'read -r up rest </proc/uptime && echo "$up" >"$0"';
    const clock = createSystemClock();
    const before = clock.now().instant.ms;
    execFileSync("sh", ["-c", script, pathOf("session-1")]);
    const sign = createActivityLog({ dataDir, clock }).lastSign("session-1");
    expect(sign?.epoch).toBe(clock.now().instant.epoch);
    expect(sign?.ms).toBeGreaterThanOrEqual(before);
  });
});

describe("a sign that the program leaves", () => {
  const clock = { now: () => now };

  test("is read back, also over a longer one", () => {
    const { dataDir, log, write } = world();
    write("session-1", "1000000.25\nan-older-boot-with-a-long-name\n");
    leaveSign({ dataDir, clock }, "session-1");
    expect(log.lastSign("session-1")).toEqual({ epoch: "boot-7", ms: 100_000 });
  });

  test("does not follow a planted link, and is none for an odd id or without a directory", () => {
    const { dataDir, pathOf } = world();
    const target = join(dataDir, "target");
    symlinkSync(target, pathOf("session-1"));
    for (const id of ["session-1", "../target", ""]) leaveSign({ dataDir, clock }, id);
    leaveSign({ dataDir: join(dataDir, "nowhere"), clock }, "session-2");
    expect(existsSync(target)).toBe(false);
  });
});

describe("what is no sign", () => {
  test("a session without a file", () => {
    expect(world().log.lastSign("session-1")).toBeNull();
  });

  test.each(["", "..", "../activity/session-1", "a/b", "a.b", "a b", "é", "a\0", "x".repeat(129)])(
    "the session id %j, which no harness gives",
    (session) => {
      const { log, write } = world();
      write("session-1", "1.00");
      expect(log.lastSign(session)).toBeNull();
    },
  );

  test("a symlink, wherever it leads", () => {
    const { log, write, pathOf } = world();
    write("target", "98.50");
    symlinkSync(pathOf("target"), pathOf("link"));
    expect(log.lastSign("link")).toBeNull();
  });

  test("a pipe, which is not waited for", () => {
    const { log, pathOf } = world();
    execFileSync("mkfifo", [pathOf("pipe")]);
    expect(log.lastSign("pipe")).toBeNull();
  });

  test("a directory", () => {
    const { log, pathOf } = world();
    mkdirSync(pathOf("directory"));
    expect(log.lastSign("directory")).toBeNull();
  });
});

const touchedAgo = (ms: number) => {
  const { log, write, pathOf } = world(temporaryDirectory());
  write("session-1", "");
  const seconds = (now.wallMs - ms) / 1000;
  utimesSync(pathOf("session-1"), seconds, seconds);
  return log.lastSign("session-1");
};

describe("a touched file, where there is no /proc/uptime", () => {
  test.each([
    ["3 s ago", 3000, 97_000],
    ["just now, by a clock slightly ahead", -500, 100_000],
    ["in the future", -5000, null],
    ["before the machine started", 200_000, null],
  ])("%s", (_, ago, ms) => {
    expect(touchedAgo(ago)).toEqual(ms === null ? null : { epoch: "boot-7", ms });
  });
});
