import { describe, expect, it } from "vitest";
import { Fault } from "../../src/core/fault.ts";
import type { ProcessVerdict } from "../../src/core/process.ts";
import { sleepWhileStill } from "../../src/engine/idle-sleep.ts";
import type { Subscription } from "../../src/engine/ports/bell.ts";
import type { Caller } from "../../src/session/rules/decision-input.ts";
import { accepted, ServiceWorld } from "../support/service-world.ts";

/** A sleeper whose every nap lasts as long as it was asked for; `before` happens during the nap of that number. */
async function asleep(before: Record<number, (world: Stirring) => void>, forMs = 60_000) {
  const services = new ServiceWorld();
  const { roomId } = accepted(await services.as("a").joinPath({ contextPath: services.directory("project") }));
  accepted(await services.as("a").waitForTurn({ roomId, maxWaitMs: 0 }));
  const { room } = (await services.deps.store.readRoom(roomId))!;
  const world: Stirring = { mark: async () => "1", verdict: "alive", suspendedMs: 0, wakes: "timeout" };
  const naps: number[] = [];
  let ms = 0;
  const bell: Subscription = {
    lookEveryMs: 2000,
    close: () => undefined,
    next: async (timeoutMs) => {
      naps.push(timeoutMs);
      ms += timeoutMs;
      before[naps.length]?.(world);
      return world.wakes;
    },
  };
  const deps = {
    ...services.deps,
    clock: { now: () => ({ instant: { epoch: "e", ms }, suspendedMs: world.suspendedMs, wallMs: ms }) },
    store: { ...services.deps.store, changeMark: () => world.mark() },
    probe: { ...services.deps.probe, verdict: () => world.verdict },
  };
  const caller = { agentId: "b", formerId: null } as unknown as Caller;
  const woken = await sleepWhileStill(deps, bell, { caller, room, mark: "1", forMs });
  return { woken, naps };
}

interface Stirring {
  mark: () => Promise<string>;
  verdict: ProcessVerdict;
  suspendedMs: number;
  wakes: "timeout" | "rang" | "aborted";
}

describe("a waiter in a still room", () => {
  it("sleeps on in naps of two seconds, and looks with care after half a minute", async () => {
    const { woken, naps } = await asleep({});
    expect(woken).toBe("timeout");
    expect(naps).toEqual(Array.from({ length: 15 }, () => 2000));
  });

  it("wakes when time alone changes something", async () => {
    expect((await asleep({}, 4500)).naps).toEqual([2000, 2000, 500]);
  });

  it.each<[string, (world: Stirring) => void]>([
    ["something was committed", (world) => Object.assign(world, { mark: async () => "2" })],
    ["the holder is gone", (world) => Object.assign(world, { verdict: "gone" })],
    ["the machine has slept", (world) => Object.assign(world, { suspendedMs: 1 })],
    [
      "the store cannot be read",
      (world) =>
        Object.assign(world, {
          mark: () => Promise.reject(new Fault("store_busy", "busy", { retry: true, next: "again" })),
        }),
    ],
  ])("looks with care when %s", async (_, stir) => {
    const { woken, naps } = await asleep({ 3: stir });
    expect(woken).toBe("timeout");
    expect(naps).toHaveLength(3);
  });

  it.each(["rang", "aborted"] as const)("says when it %s", async (wakes) => {
    const { woken, naps } = await asleep({ 2: (world) => Object.assign(world, { wakes }) });
    expect(woken).toBe(wakes);
    expect(naps).toHaveLength(2);
  });

  it("takes nothing for granted about a process that it cannot see", async () => {
    const { naps } = await asleep({ 1: (world) => Object.assign(world, { verdict: "unknown" }) });
    expect(naps).toHaveLength(15);
  });
});
