import { describe, expect, test } from "vitest";
import { createPsProcesses, sightingOfPs } from "../../../src/platform/process/ps-processes.ts";

function failing(details: object): () => never {
  return () => {
    throw Object.assign(new Error("failed"), details);
  };
}

describe("processes by ps", () => {
  test("this process is seen by the real ps, with the same start each time", () => {
    const processes = createPsProcesses();
    const own = processes.ownStartTicks();
    expect(own).toMatch(/^\w{3} \w{3} \d{1,2} \d\d:\d\d:\d\d \d{4}$/);
    expect(createPsProcesses().look(process.pid)).toEqual({ seen: "running", startTicks: own });
  });

  test("a pid that no process has is seen by the real ps as nothing", () => {
    expect(createPsProcesses().look(2 ** 22 + 1)).toEqual({ seen: "nothing" });
  });

  test("padding in the start time makes no difference", () => {
    const sighting = { seen: "running", startTicks: "Mon Jan 5 09:00:00 2026" };
    expect(sightingOfPs("Mon Jan  5 09:00:00 2026     Ss\n")).toEqual(sighting);
    expect(sightingOfPs("Mon Jan 5 09:00:00 2026 R+")).toEqual(sighting);
    expect(sightingOfPs("Mon Jan 5 09:00:00 2026 T")).toEqual({ ...sighting, isStopped: true });
  });

  test("a zombie is nothing", () => {
    expect(sightingOfPs("Mon Jan  5 09:00:00 2026 Z")).toEqual({ seen: "nothing" });
  });

  test("text of another shape proves nothing", () => {
    expect(sightingOfPs("usage: ps")).toEqual({ seen: "hidden" });
  });

  test.each([
    ["says there is none", failing({ status: 1 }), "nothing"],
    ["is missing", failing({ code: "ENOENT" }), "hidden"],
    ["takes too long", failing({ code: "ETIMEDOUT", status: null }), "hidden"],
  ])("a ps that %s", (_, runPs, seen) => {
    expect(createPsProcesses({ runPs }).look(42)).toEqual({ seen });
  });

  test("looks in quick succession start one ps, later ones another", () => {
    let runs = 0;
    let nowMs = 0;
    const runPs = () => {
      runs += 1;
      return "Mon Jan  5 09:00:00 2026 S";
    };
    const processes = createPsProcesses({ runPs, monotonicMs: () => nowMs });
    processes.look(42);
    nowMs = 400;
    processes.look(42);
    expect(runs).toBe(1);
    nowMs = 600;
    processes.look(42);
    expect(runs).toBe(2);
  });
});
