/** Whole waits in a world in which every nap lasts as long as it was asked for, and nothing else takes time. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RoomId } from "../../src/core/ids.ts";
import type { Deps } from "../../src/engine/deps.ts";
import type { RoomSnapshot } from "../../src/engine/ports/store.ts";
import { createTalkingStick } from "../../src/surfaces/library/talking-stick.ts";
import { agentCalled } from "../support/service-ports.ts";
import { accepted, ServiceWorld } from "../support/service-world.ts";
import { sleeping } from "../support/sleeping.ts";

interface Story {
  readonly leaseTtlMs: number;
  readonly inflightTimeoutMs: number;
  readonly baseBackoffMs: number;
  readonly messageTtlMs: number;
  /** When the owner's hooks left a sign. */
  readonly signs: readonly number[];
  readonly ownerDiesAt: number | null;
  readonly messages: number;
  readonly taken: number;
}

/** Nothing that was seen before counts any more. */
function neverTheSame(store: Deps["store"]): void {
  const readRoom = store.readRoom.bind(store);
  let marks = 0;
  const unmarked = async (roomId: RoomId) => {
    const { mark: _, ...seen } = (await readRoom(roomId)) ?? {};
    return "room" in seen ? (seen as RoomSnapshot) : null;
  };
  Object.assign(store, { readRoom: unmarked, changeMark: async () => `${(marks += 1)}` });
}

/** What the wait answers and when; `restless`: the store's mark is never the same, so that every look is a careful one. */
async function told(story: Story, { restless }: { readonly restless: boolean }) {
  const { signs, ownerDiesAt, messages, taken, ...policy } = story;
  const world = new ServiceWorld({ ...policy, maxRetries: 3 });
  const startMs = world.nowMs;
  const latest = () => Math.max(...signs.filter((ms) => startMs + ms <= world.nowMs), Number.NEGATIVE_INFINITY);
  const lastSign = () => (Number.isFinite(latest()) ? { epoch: "boot-1", ms: startMs + latest() } : null);
  const verdict: Deps["probe"]["verdict"] = ({ startTicks }) =>
    startTicks === "a" && ownerDiesAt !== null && world.nowMs >= startMs + ownerDiesAt ? "gone" : "alive";
  const deps = { ...sleeping(world), activity: { lastSign }, probe: { ...world.deps.probe, verdict } };
  if (restless) neverTheSame(deps.store);
  const owner = createTalkingStick(deps, { ...agentCalled("a"), sessionId: "session-of-a" });
  const waiter = createTalkingStick(deps, agentCalled("b"));
  const contextPath = world.directory("project");
  const { roomId } = accepted(await owner.joinPath({ contextPath }));
  accepted(await owner.waitForTurn({ roomId, maxWaitMs: 0 }));
  accepted(await waiter.joinPath({ contextPath }));
  for (let sent = 0; sent < messages; sent += 1) {
    accepted(await owner.sendMessage({ roomId, to: "b", body: `message ${sent}` }));
  }
  if (taken > 0) accepted(await waiter.takeMessages({ limit: taken }));
  const answer = accepted(await waiter.waitForTurn({ roomId, maxWaitMs: 300_000 }));
  return { status: answer.status, afterMs: world.nowMs - startMs };
}

describe("a wait ends when time changes something", () => {
  it("as soon as it would if it looked at everything every two seconds", async () => {
    const stories = fc.record({
      leaseTtlMs: fc.integer({ min: 60_000, max: 200_000 }),
      inflightTimeoutMs: fc.integer({ min: 1000, max: 100_000 }),
      baseBackoffMs: fc.integer({ min: 1000, max: 60_000 }),
      messageTtlMs: fc.integer({ min: 60_000, max: 200_000 }),
      signs: fc.array(fc.integer({ min: 0, max: 200_000 }), { maxLength: 3 }),
      ownerDiesAt: fc.option(fc.integer({ min: 0, max: 250_000 }), { freq: 1 }),
      messages: fc.integer({ min: 0, max: 3 }),
      taken: fc.integer({ min: 0, max: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(stories, async (story) => {
        const [still, restless] = [await told(story, { restless: false }), await told(story, { restless: true })];
        expect(still.status).toBe(restless.status);
        expect(Math.abs(still.afterMs - restless.afterMs)).toBeLessThanOrEqual(2000);
      }),
      { numRuns: 100 },
    );
  });

  it("when a lease expires that a sign of life had prolonged", async () => {
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
