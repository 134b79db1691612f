import { expect, it, onTestFinished } from "vitest";
import { asAgentId } from "../../src/core/ids.ts";
import type { ProcessRef, ProcessVerdict } from "../../src/core/process.ts";
import { after, type Instant } from "../../src/core/time.ts";
import type { Deps } from "../../src/engine/deps.ts";
import { gatherEvidence, gatherWaitersEvidence, nextWaiter } from "../../src/engine/evidence.ts";
import { EvidenceCollector } from "../../src/engine/liveness-evidence.ts";
import type { Caller } from "../../src/session/rules/decision-input.ts";
import { processOf } from "../support/room-world.ts";
import { accepted, ServiceWorld } from "../support/service-world.ts";

/** A room with a member whose hooks left a sign, and a store whose clock runs under another name. */
async function hookedMember(world: ServiceWorld, sign: Instant) {
  const agentId = asAgentId("a");
  const { roomId } = accepted(await world.as("a").joinPath({ contextPath: world.directory("project") }));
  const { room, moment } = (await world.deps.store.readRoom(roomId))!;
  const presence = { ...room.presence.get(agentId)!, sessionId: "session" };
  const deps: Deps = { ...world.deps, activity: { lastSign: () => sign } };
  return { deps, room: { ...room, presence: new Map([[agentId, presence]]) }, moment, agentId };
}

it("a sign of life keeps its age on a store with a clock of its own", async () => {
  const world = new ServiceWorld();
  const sign = { epoch: "boot-1", ms: world.nowMs - 700 };
  const { deps, room, moment, agentId } = await hookedMember(world, sign);
  const storeNow = { epoch: "server", ms: 5_000_000 };
  const { activity } = await gatherEvidence(deps, { room, moment: { ...moment, instant: storeNow } }, [agentId]);
  expect(activity.get(agentId)).toEqual({ epoch: "server", ms: 5_000_000 - 700 });
});

it("an agent that can lose its place by silence is asked for signs of life first", async () => {
  const world = new ServiceWorld({ presenceTtlMs: 600_000, idleRoomTtlMs: 60_000 });
  const sign = { epoch: "boot-1", ms: world.nowMs + 69_000 };
  const { deps, room, moment, agentId } = await hookedMember(world, sign);
  const later = { ...moment, instant: { ...moment.instant, ms: world.nowMs + 70_000 } };
  expect((await gatherEvidence(deps, { room, moment: later })).activity.get(agentId)).toEqual(sign);
});

it("a waiter looks at the owner and at the calls before its own, up to the first that lives", async () => {
  const world = new ServiceWorld();
  const { roomId } = accepted(await world.as("a").joinPath({ contextPath: world.directory("project") }));
  await world.as("a").waitForTurn({ roomId, maxWaitMs: 0 });
  const cancel = new AbortController();
  onTestFinished(() => cancel.abort());
  for (const agent of ["b", "c", "d"]) {
    void world.as(agent).waitForTurn({ roomId, maxWaitMs: 60_000, signal: cancel.signal });
    while (!(await world.deps.store.readRoom(roomId))!.room.waits.has(asAgentId(agent)));
  }
  const { room, moment } = (await world.deps.store.readRoom(roomId))!;
  const calls = new Map([...room.waits].map(([id, wait]) => [id, { ...wait, caller: processOf(`${id}-call`) }]));
  const seenBy = async (agent: string, gone: readonly string[] = []) => {
    const probe = {
      ...world.deps.probe,
      verdict: (ref: ProcessRef) => (gone.includes(ref.startTicks) ? "gone" : "alive"),
    };
    const deps = { ...world.deps, probe: probe as Deps["probe"] };
    const waiter = { ...CALLER, agentId: asAgentId(agent) };
    const { verdicts } = await gatherWaitersEvidence(deps, { room: { ...room, waits: calls }, moment }, waiter);
    return new Set([...verdicts.keys()].map((key) => key.split("/").at(-1)));
  };
  expect(await seenBy("b")).toEqual(new Set(["a", "b", "b-call"]));
  expect(await seenBy("d")).toEqual(new Set(["a", "c-call", "d", "d-call"]));
  expect(await seenBy("d", ["c-call"])).toEqual(new Set(["a", "b-call", "c-call", "d", "d-call"]));
});

it("a holder that gives the stick away looks at the waiters in turn, up to the first who lives", async () => {
  const world = new ServiceWorld();
  const { roomId } = accepted(await world.as("a").joinPath({ contextPath: world.directory("project") }));
  await world.as("a").waitForTurn({ roomId, maxWaitMs: 0 });
  const cancel = new AbortController();
  onTestFinished(() => cancel.abort());
  for (const agent of ["b", "c", "d"]) {
    void world.as(agent).waitForTurn({ roomId, maxWaitMs: 60_000, signal: cancel.signal });
    while (!(await world.deps.store.readRoom(roomId))!.room.waits.has(asAgentId(agent)));
  }
  const { room, moment } = (await world.deps.store.readRoom(roomId))!;
  const sleptMs = 3_600_000;
  const afterSleep = { ...moment, instant: after(moment.instant, sleptMs), suspendedMs: sleptMs };
  // Waits that seem to be over because the machine slept are not.
  for (const now of [moment, afterSleep]) {
    const seen: string[] = [];
    const probe = { ...world.deps.probe, verdict: (ref: ProcessRef) => verdictOf(seen, ref) };
    const caller = { ...CALLER, agentId: asAgentId("a") };
    const collector = new EvidenceCollector({ ...world.deps, probe });
    await collector.lookAt(nextWaiter(caller), { room, moment: now });
    const { verdicts } = collector.at(now);
    // The calls that wait are all made by the test.
    expect(new Set(seen)).toEqual(new Set(["a", "b", "c", "test"]));
    expect([...verdicts.values()].filter((verdict) => verdict === "gone")).toHaveLength(1);
  }
});

const CALLER: Caller = {
  agentId: asAgentId("a"),
  harness: "a",
  isPerson: false,
  process: null,
  sessionId: null,
  formerId: null,
  tmuxPane: null,
};

/** Of the processes only b's is gone. */
function verdictOf(seen: string[], { startTicks }: ProcessRef): ProcessVerdict {
  seen.push(startTicks);
  return startTicks === "b" ? "gone" : "alive";
}
