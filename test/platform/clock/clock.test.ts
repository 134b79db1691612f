import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { uptime } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Moment } from "../../../src/core/time.ts";
import { createSystemClock } from "../../../src/platform/clock/clock.ts";
import { parseUptimeMs } from "../../../src/platform/clock/uptime.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { systemCalls } from "../call-in-child.ts";

const { call } = systemCalls();

/** A machine whose clocks a test sets by hand. */
function fakeMachine() {
  const procRoot = temporaryDirectory();
  mkdirSync(join(procRoot, "sys/kernel/random"), { recursive: true });
  writeFileSync(join(procRoot, "sys/kernel/random/boot_id"), "boot-7\n");
  const time = { monotonicMs: 0, wallMs: 0 };
  const setUptime = (seconds: number) => writeFileSync(join(procRoot, "uptime"), `${seconds.toFixed(2)} 12.34\n`);
  setUptime(0);
  const clock = createSystemClock({ procRoot, monotonicMs: () => time.monotonicMs, wallMs: () => time.wallMs });
  return { clock, time, setUptime, procRoot };
}

describe("the clock of this machine", () => {
  test("an instant is named after the boot it belongs to", () => {
    const bootId = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    expect(createSystemClock().now().instant.epoch).toBe(bootId);
  });

  test("who looks later, in whichever process, never reads an earlier time", async () => {
    const here = createSystemClock();
    const before = here.now().instant;
    const { instant: there } = (await call(["now"])) as Moment;
    const after = here.now().instant;
    expect(there.epoch).toBe(before.epoch);
    expect([before.ms, there.ms, after.ms]).toEqual([before.ms, there.ms, after.ms].toSorted((a, b) => a - b));
    expect(after.ms).toBeGreaterThan(before.ms);
  });

  test("two processes agree on how long the machine has slept", async () => {
    const here = createSystemClock().now().suspendedMs;
    const there = ((await call(["now"])) as Moment).suspendedMs;
    expect(Math.abs(here - there)).toBeLessThan(50);
  });

  test("it shows whole milliseconds", () => {
    const { instant, suspendedMs } = createSystemClock().now();
    expect([instant.ms, suspendedMs].every(Number.isInteger)).toBe(true);
  });
});

describe("clocks that jump", () => {
  test("a wall clock that is set back moves no instant", () => {
    const { clock, time, setUptime } = fakeMachine();
    setUptime(100);
    time.wallMs = 5_000_000;
    const before = clock.now();
    time.wallMs = 1000;
    expect(clock.now()).toEqual({ ...before, wallMs: 1000 });
  });

  test("an instant never goes back within a process", () => {
    const { clock, setUptime } = fakeMachine();
    setUptime(100);
    clock.now();
    setUptime(99);
    expect(clock.now().instant.ms).toBe(100_000);
  });

  test("a machine that never slept shows no sleep at all, in spite of the coarse steps", () => {
    const { clock, time, setUptime } = fakeMachine();
    for (const ms of [10_000, 10_001, 10_009.9, 10_010]) {
      time.monotonicMs = ms;
      setUptime(Math.floor(ms / 10) / 100);
      expect(clock.now().suspendedMs).toBe(0);
    }
  });

  test("an hour's sleep shows as an hour", () => {
    const { clock, time, setUptime } = fakeMachine();
    time.monotonicMs = 10_000;
    setUptime(10 + 3600);
    expect(Math.abs(clock.now().suspendedMs - 3_600_000)).toBeLessThan(50);
  });

  test("a process that is held up while it reads does not take that for sleep", () => {
    const { procRoot, setUptime } = fakeMachine();
    setUptime(10);
    const readings = [10_000, 15_000, 10_000, 10_000];
    const clock = createSystemClock({ procRoot, monotonicMs: () => readings.shift() ?? 10_000, wallMs: () => 0 });
    expect(clock.now().suspendedMs).toBe(0);
  });

  test("a process that is held up while it reads still sees the whole sleep", () => {
    const { procRoot, setUptime } = fakeMachine();
    setUptime(10 + 3600);
    const readings = [10_000, 15_000, 10_000, 10_000];
    const clock = createSystemClock({ procRoot, monotonicMs: () => readings.shift() ?? 10_000, wallMs: () => 0 });
    expect(Math.abs(clock.now().suspendedMs - 3_600_000)).toBeLessThan(50);
  });

  test("without /proc/uptime the runtime's figure counts and no sleep is claimed", () => {
    const clock = createSystemClock({ procRoot: temporaryDirectory() });
    const { instant, suspendedMs } = clock.now();
    expect(Math.abs(instant.ms - uptime() * 1000)).toBeLessThan(2000);
    expect([instant.epoch, suspendedMs]).toEqual(["unknown-boot", 0]);
  });
});

test.each([
  ["12.34 56.78\n", 12_340],
  ["0.01", 10],
  ["7", 7000],
  ["", null],
  ["-1 2", null],
  ["12.34abc", null],
  ["1e9 1", null],
])("the uptime text %j means %j", (text, ms) => {
  expect(parseUptimeMs(text)).toBe(ms);
});
