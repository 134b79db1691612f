import { describe, expect, it } from "vitest";
import type { Caller } from "../../src/domain/given.ts";
import type { ProcessVerdict } from "../../src/domain/process.ts";
import type { Subscription } from "../../src/ports/bell.ts";
import { Fault } from "../../src/ports/fault.ts";
import type { Deps } from "../../src/service/deps.ts";
import { sleepWhileStill } from "../../src/service/stillness.ts";
import { createTalkingStick } from "../../src/service/talking-stick.ts";
import { agentCalled } from "../support/service-ports.ts";
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

/** A wait in a world in which every nap lasts as long as it was asked for, and nothing else takes time. */
describe("a whole wait wakes when time changes something", () => {
  function sleeping(world: ServiceWorld): Deps {
    const next = async (timeoutMs: number): Promise<"timeout"> => {
      world.nowMs += timeoutMs;
      return "timeout";
    };
    return { ...world.deps, bell: { ...world.deps.bell, subscribe: async () => ({ ...SILENT, next }) } };
  }
  const SILENT = { lookEveryMs: 2000, close: () => undefined };

  it("when a lease runs out that a sign of life had prolonged", async () => {
    const world = new ServiceWorld({ leaseTtlMs: 100_000 });
    const startMs = world.nowMs;
    const activity = { lastSign: () => ({ epoch: "boot-1", ms: startMs + Math.min(70_000, world.nowMs - startMs) }) };
    const deps = { ...sleeping(world), activity };
    const owner = createTalkingStick(deps, { ...agentCalled("a"), sessionId: "session-of-a" });
    const { roomId } = accepted(await owner.joinPath({ contextPath: world.directory("project") }));
    accepted(await owner.waitForTurn({ roomId, maxWaitMs: 0 }));
    const waiter = createTalkingStick(deps, agentCalled("b"));
    expect(await waiter.waitForTurn({ roomId, maxWaitMs: 600_000 })).toMatchObject({ status: "takeover_available" });
    expect(world.nowMs - startMs).toBe(170_000);
  });

  it("when mail comes again whose reader has died", async () => {
    const world = new ServiceWorld({ inflightTimeoutMs: 10_000, baseBackoffMs: 7000 });
    const deps = sleeping(world);
    const { roomId } = accepted(await world.as("a").joinPath({ contextPath: world.directory("project") }));
    accepted(await world.as("a").waitForTurn({ roomId, maxWaitMs: 0 }));
    const waiter = createTalkingStick(deps, agentCalled("b"));
    accepted(await waiter.joinPath({ contextPath: world.directory("project") }));
    accepted(await world.as("a").sendMessage({ roomId, to: "b", body: "which port?" }));
    const startMs = world.nowMs;
    accepted(await waiter.takeMessages({}));
    expect(await waiter.waitForTurn({ roomId, maxWaitMs: 600_000 })).toMatchObject({ status: "not_yet", unread: 1 });
    expect(world.nowMs - startMs).toBe(17_000);
  });
});
