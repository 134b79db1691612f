/** Given an agent on a machine that is not heard of, then its senders are told which machine that is, and since when. */
import { describe, expect, test } from "vitest";
import { asAgentId, asRoomId } from "../../src/core/ids.ts";
import { type Next, wordNext } from "../../src/core/next.ts";
import { PeerMachine } from "../../src/mail/peer-machine.ts";
import type { SentAnswer } from "../../src/mail/post-message.ts";
import { accepted } from "../support/service-world.ts";
import { TwoMachineWorld } from "../support/two-machine-world.ts";

const BOB = asAgentId("bob:1");

/** Ann is here, and bob on the machine with the id `m2`. */
async function twoAgents(world = new TwoMachineWorld()) {
  const ann = world.as("ann:1");
  const contextPath = world.directory("tree");
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
      "The machine of bob:1, db-2, was last heard of 62 s ago: it may be dead or cut off. The message waits until it is back. See who else is here: list_project_sessions",
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
    expect(wordNext(next ?? "")).toContain("The machine of bob:1, laptop (m2), was last heard of 3 min ago");
  });

  test("is told although the room takes the recipient for present for longer", async () => {
    const { world, send } = await twoAgents(new TwoMachineWorld({ policy: { goneGraceMs: 600_000 } }));
    world.hear("m2", "db-2").advance(60_000);
    expect((await send("bob:1")).deliveries[0]).toMatchObject({ host: "db-2", hostSilentMs: 60_000 });
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
      /^The peer's machine, db-2, was last heard of 61 s ago: it may be dead or cut off. The question stays open\./,
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
    const machine = new PeerMachine(world.deps, asRoomId(roomId), BOB, null);
    expect(machine.changesInMs).toBe(0);
    expect(await machine.look()).toBe(false);
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
  });
});
