/** Given an agent on a machine that is not heard of, then its senders are told which machine that is, and since when. */
import { describe, expect, test } from "vitest";
import { asAgentId, asEventId, asRoomId } from "../../src/core/ids.ts";
import { type Next, wordNext } from "../../src/core/next.ts";
import type { ProcessRef } from "../../src/core/process.ts";
import { PeerMachine } from "../../src/mail/peer-machine.ts";
import { type SentAnswer, toldOf } from "../../src/mail/post-message.ts";
import type { WakeStatus } from "../../src/mail/rules/wake-status.ts";
import { makeRepository } from "../support/git-repository.ts";
import { accepted, ServiceWorld } from "../support/service-world.ts";
import { probe, TwoMachineWorld } from "../support/two-machine-world.ts";

const BOB = asAgentId("bob:1");

/** Ann is here, and bob on the machine with the id `m2`. */
async function twoAgents(world = new TwoMachineWorld()) {
  const ann = world.as("ann:1");
  const contextPath = world.directory("tree");
  makeRepository(contextPath);
  const { roomId } = accepted(await ann.joinPath({ contextPath }));
  const bob = world.on("m2", "bob:1");
  accepted(await bob.joinPath({ contextPath }));
  const send = async (to: string, more: { readonly msgId?: string } = {}) =>
    accepted(await ann.sendMessage({ roomId, to, body: "hello", ...more })) as SentAnswer & { readonly next?: Next };
  return { world, ann, bob, roomId, contextPath, send };
}

const plain = { to: BOB, state: "pending", willBeSeen: "unknown" };

describe("a sender", () => {
  test("is told when the machine of the recipient is silent, and not before", async () => {
    const { world, send } = await twoAgents();
    world.hear("m2", "db-2").advance(49_999);
    const early = await send("bob:1");
    expect(early.deliveries).toEqual([plain]);
    expect(early.next).toBeUndefined();
    world.advance(12_001);
    const late = await send("bob:1");
    expect(late.deliveries).toEqual([{ ...plain, host: "db-2", hostSilentMs: 62_000 }]);
    expect(wordNext(late.next ?? "")).toBe(
      "Machine db-2, with bob:1, was last heard of 1m ago: it may be dead or cut off. Unread mail waits for its recipient, until it expires. See who else is here: list_project_sessions",
    );
    world.hear("m2", "db-2");
    expect((await send("bob:1")).deliveries).toEqual([plain]);
  });

  test("is told only of the recipients that are there, and two machines of one name have two names", async () => {
    const { world, send, contextPath } = await twoAgents(new TwoMachineWorld({ here: "laptop" }));
    accepted(await world.as("cy:1").joinPath({ contextPath }));
    world.hear("m2", "laptop").advance(180_000);
    const { deliveries, next } = await send("room");
    expect(deliveries).toContainEqual({ ...plain, host: "laptop (m2)", hostSilentMs: 180_000 });
    expect(deliveries.find(({ to }) => to === "cy:1")).not.toHaveProperty("host");
    expect(wordNext(next ?? "")).toContain("Machine laptop (m2), with bob:1, was last heard of 3m ago");
  });

  test("is told although the room takes the recipient for present for longer", async () => {
    const { world, send } = await twoAgents(new TwoMachineWorld({ policy: { goneGraceMs: 600_000 } }));
    world.hear("m2", "db-2").advance(60_000);
    expect((await send("bob:1")).deliveries[0]).toMatchObject({ host: "db-2", hostSilentMs: 60_000 });
  });

  test("is not told of a machine that was restarted since, also if nothing waits there now", async () => {
    for (const isNoted of [true, false]) {
      const { world, send, contextPath } = await twoAgents();
      world.hear("m2", "db-2").advance(60_000);
      if (isNoted) world.hear("m2", "db-2", "next");
      else accepted(await world.on("m2", "cy:1", "next").joinPath({ contextPath }));
      expect((await send("bob:1")).deliveries).toEqual([plain]);
    }
  });

  test("is not told of an earlier boot of its own machine", async () => {
    const { world, send, contextPath } = await twoAgents();
    accepted(await world.on("local", "cy:1", "before").joinPath({ contextPath }));
    world.hear("local", "laptop", "before").advance(60_000);
    expect((await send("cy:1")).deliveries).toEqual([{ ...plain, to: "cy:1" }]);
  });

  test("is not told of a machine where an agent of the room has just made a call", async () => {
    const { world, send, contextPath } = await twoAgents();
    const cy = world.on("m2", "cy:1");
    accepted(await cy.joinPath({ contextPath }));
    world.hear("m2", "db-2").advance(60_000);
    accepted(await cy.joinPath({ contextPath }));
    expect((await send("bob:1")).deliveries).toEqual([plain]);
    world.advance(55_000);
    const { deliveries } = await send("room");
    // All agents of a machine are told to be silent for as long as it.
    const silent = { host: "db-2", hostSilentMs: 55_000 };
    expect(deliveries).toEqual([
      { ...plain, ...silent },
      { ...plain, to: "cy:1", ...silent },
    ]);
  });

  test("is not told of a machine where the recipient has just called in another room", async () => {
    const { world, bob, send } = await twoAgents();
    world.hear("m2", "db-2").advance(60_000);
    accepted(await bob.joinPath({ contextPath: world.directory("tree/docs"), forceNew: true }));
    expect((await send("bob:1")).deliveries).toEqual([plain]);
    world.advance(55_000);
    expect((await send("bob:1")).deliveries).toEqual([{ ...plain, host: "db-2", hostSilentMs: 55_000 }]);
  });

  test("that repeats a message is told of the machine as it is now", async () => {
    const { world, send } = await twoAgents();
    world.hear("m2").advance(60_000);
    expect((await send("bob:1", { msgId: "m" })).deliveries[0]).toMatchObject({ hostSilentMs: 60_000 });
    world.hear("m2");
    expect((await send("bob:1", { msgId: "m" })).deliveries).toEqual([plain]);
    world.advance(55_000);
    expect((await send("bob:1", { msgId: "m" })).deliveries[0]).toMatchObject({ hostSilentMs: 55_000 });
  });

  test("is not told of the machine of a recipient that a wake has just reached", () => {
    const silent = new Map([[BOB, { host: "db-2", hostSilentMs: 60_000 }]]);
    const woken = (wakeStatus: WakeStatus) => {
      const deliveries = [{ to: BOB, state: "pending", willBeSeen: "unknown", wakeStatus } as const];
      return toldOf({ messageId: asEventId("e1"), eventSeq: 1, createdAt: "", deliveries }, silent).deliveries[0];
    };
    for (const status of ["fired", "receiver_live"] as const) expect(woken(status)).not.toHaveProperty("host");
    for (const status of ["fired_unconfirmed", "disabled"] as const)
      expect(woken(status)).toHaveProperty("host", "db-2");
  });

  test("that asks a holder for the stick is told, and so is one that answers", async () => {
    const { world, ann, bob, roomId } = await twoAgents();
    accepted(await bob.waitForTurn({ roomId, maxWaitMs: 0 }));
    const { messageId } = accepted(await bob.sendMessage({ roomId, to: "ann:1", body: "?" }));
    world.hear("m2", "db-2").advance(60_000);
    const requested = accepted(await ann.requestStick({ roomId, why: "my turn?" }));
    expect(requested.deliveries[0]).toMatchObject({ host: "db-2", hostSilentMs: 60_000 });
    expect(wordNext((requested as { next?: Next }).next ?? "")).toMatch(/offers you the stick: wait_for_turn$/);
    const answered = accepted(await ann.replyToMessage({ roomId, messageId, body: "!" }));
    expect(answered.deliveries[0]).toMatchObject({ host: "db-2", hostSilentMs: 60_000 });
  });
});

describe("an asker", () => {
  test("is told at once, and again when its time is up", async () => {
    const { world, ann, roomId } = await twoAgents();
    world.hear("m2", "db-2").advance(61_000);
    const told: object[] = [];
    const { answer } = accepted(
      await ann.askPeer({ roomId, to: "bob:1", body: "?", timeoutMs: 0, onSent: (sent) => told.push(sent) }),
    );
    const silent = { host: "db-2", hostSilentMs: 61_000 };
    expect(told).toMatchObject([{ deliveries: [{ ...plain, ...silent }] }]);
    expect(answer).toMatchObject({ reply: null, timedOut: true, ...silent });
    expect(wordNext((answer as { next?: Next }).next ?? "")).toMatch(
      /^The peer's machine, db-2, was last heard of 1m ago: it may be dead or cut off. The question stays open\./,
    );
  });

  test("is told while it waits, when the machine becomes silent", async () => {
    const { world, ann, roomId } = await twoAgents();
    world.hear("m2", "db-2");
    const told: object[] = [];
    const over = new AbortController();
    const onSent = ({ deliveries: [peer] }: SentAnswer) => {
      told.push(peer as object);
      if (told.length === 1) world.advance(60_000);
      else over.abort();
    };
    const asking = ann.askPeer({ roomId, to: "bob:1", body: "?", timeoutMs: 300_000, signal: over.signal, onSent });
    const silent = { host: "db-2", hostSilentMs: 60_000 };
    expect(accepted(await asking).answer).toMatchObject({ reply: null, timedOut: false, ...silent });
    expect(told).toEqual([plain, { ...plain, ...silent }]);
  });

  test("is told again, and for how long by now, while the machine stays silent", async () => {
    const { world, ann, roomId } = await twoAgents();
    world.hear("m2", "db-2").advance(60_000);
    const told: unknown[] = [];
    const over = new AbortController();
    const onSent = ({ deliveries: [peer] }: SentAnswer) => {
      told.push(peer?.hostSilentMs);
      if (told.length === 1) world.advance(30_000);
      else over.abort();
    };
    accepted(await ann.askPeer({ roomId, to: "bob:1", body: "?", timeoutMs: 300_000, signal: over.signal, onSent }));
    expect(told).toEqual([60_000, 90_000]);
  });

  test("learns when its time is up that the machine is back", async () => {
    const { world, ann, roomId } = await twoAgents();
    world.hear("m2", "db-2").advance(60_000);
    const onSent = () => void world.advance(2000).hear("m2", "db-2");
    const { answer } = accepted(await ann.askPeer({ roomId, to: "bob:1", body: "?", timeoutMs: 0, onSent }));
    expect(answer).toMatchObject({ timedOut: true });
    expect(answer).not.toHaveProperty("host");
  });

  test("without time to wait reads nothing twice", async () => {
    const { world, ann, roomId } = await twoAgents();
    world.hear("m2", "db-2").advance(20_000);
    const reads = world.countReads();
    accepted(await ann.askPeer({ roomId, to: "bob:1", body: "?", timeoutMs: 0 }));
    expect(reads).toEqual({ hosts: 1 });
  });

  test("of an agent on its own machine learns nothing of machines", async () => {
    const { world, ann, roomId, contextPath } = await twoAgents();
    accepted(await world.as("cy:1").joinPath({ contextPath }));
    world.hear("m2").advance(61_000);
    const { answer } = accepted(await ann.askPeer({ roomId, to: "cy:1", body: "?", timeoutMs: 0 }));
    expect(answer).not.toHaveProperty("host");
  });

  test("that waits looks when the machine may become silent, and learns when it is back", async () => {
    const { world, roomId } = await twoAgents();
    world.hear("m2", "db-2").advance(35_000);
    const asked = { agentId: BOB, roomId: asRoomId(roomId), lookedAt: world.moment.instant, lookInMs: 15_000 };
    const machine = new PeerMachine(world.deps, asked, null);
    expect(machine.changesInMs).toBe(15_000);
    world.advance(15_000);
    expect(machine.changesInMs).toBe(0);
    expect(await machine.look()).toBe(true);
    expect(machine.silent).toEqual({ host: "db-2", hostSilentMs: 50_000 });
    world.advance(30_000);
    expect(await machine.look()).toBe(false);
    expect(machine.silent?.hostSilentMs).toBe(80_000);
    world.hear("m2", "db-2");
    expect(await machine.look()).toBe(true);
    expect(machine.silent).toBeNull();
    expect(machine.changesInMs).toBe(50_000);
  });
});

test("a sender on a store of one machine looks at no recipient within the grace", async () => {
  const looks: string[] = [];
  const asked = { ...probe, verdict: (process: ProcessRef) => (looks.push(process.startTicks ?? ""), "gone" as const) };
  const world = new ServiceWorld({ goneGraceMs: 600_000 }, { probe: asked });
  const contextPath = world.directory("tree");
  const { roomId } = accepted(await world.as("ann:1").joinPath({ contextPath }));
  accepted(await world.as("bob:1").joinPath({ contextPath }));
  world.nowMs += 120_000;
  looks.length = 0;
  accepted(await world.as("ann:1").sendMessage({ roomId, to: "bob:1", body: "hello" }));
  expect(looks).not.toContain("bob:1");
});
