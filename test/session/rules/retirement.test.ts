import { describe, expect, it } from "vitest";
import { isLeftover } from "../../../src/session/rules/retirement.ts";

const at = { epoch: "boot-1", ms: 10_000 };
const now = { epoch: "boot-1", ms: 20_000 };
const process = { host: "local", bootId: "boot-1", pidNamespace: "1", pid: 7, startTicks: "70" } as never;
const another = { host: "local", bootId: "boot-1", pidNamespace: "1", pid: 8, startTicks: "80" } as never;

describe("a session that has ended", () => {
  it("left behind what still runs in its process, or in none that can be told", () => {
    expect(isLeftover({ at, process }, { process, sign: null, now })).toBe(true);
    expect(isLeftover({ at, process: null }, { process: null, sign: null, now })).toBe(true);
  });

  it("is resumed by another process of its harness, and nothing outlives its boot", () => {
    expect(isLeftover({ at, process }, { process: another, sign: null, now })).toBe(false);
    expect(isLeftover({ at, process }, { process, sign: null, now: { epoch: "boot-2", ms: 5 } })).toBe(false);
  });

  it("lives on where its hooks left a sign since, but not by one from before", () => {
    expect(isLeftover({ at, process: null }, { process: null, sign: { ...at, ms: 9999 }, now })).toBe(true);
    expect(isLeftover({ at, process: null }, { process: null, sign: { ...at, ms: 10_001 }, now })).toBe(false);
  });
});
