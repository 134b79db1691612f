import { EventEmitter, once } from "node:events";
import { afterEach, describe, expect, it, vi } from "vitest";
import { asAgentId, asRoomId } from "../../src/core/ids.ts";
import { beginWake } from "../../src/mail/claim-wake.ts";
import { claimOwnWake } from "../../src/wake/claim-own-wake.ts";
import { isClaim } from "../../src/wake/climb.ts";
import { processOf } from "../support/room-world.ts";
import { accepted } from "../support/service-world.ts";
import { WakingWorld } from "./waking-world.ts";

const WAKE = { wake: "auto" } as const;

describe("a question with a short time", () => {
  afterEach(() => void vi.useRealTimers());

  it("is answered when that time is up, however long a sign of life would be waited for", async () => {
    const world = await WakingWorld.open();
    Object.assign(world, { hasInbox: true, push: async () => "sent" });
    vi.useFakeTimers();
    const asking = world.as("a").askPeer({ roomId: world.roomId, to: "b", body: "which port?", timeoutMs: 500 });
    const isAnswered = vi.fn();
    void asking.then(isAnswered);
    await vi.advanceTimersByTimeAsync(600);
    expect(isAnswered).toHaveBeenCalledOnce();
    expect(accepted(await asking).answer).toMatchObject({ timedOut: true, wakeStatus: "fired_unconfirmed" });
    expect(world.acts).toEqual(["push"]);
  });
});

describe("who is woken", () => {
  it("is the recipient of an interrupt and of a request for the stick, and nobody of an ordinary message", async () => {
    const world = await WakingWorld.open();
    world.hasInbox = true;
    expect(await world.send()).not.toHaveProperty("wakeStatus");
    expect(await world.send({ deliveryHint: "interrupt", wake: "off" })).not.toHaveProperty("wakeStatus");
    expect(world.acts).toEqual([]);
    expect(await world.send({ deliveryHint: "interrupt" })).toMatchObject({ wakeStatus: "fired" });
    await world.readAll();
    accepted(await world.as("b").waitForTurn({ roomId: world.roomId, maxWaitMs: 0 }));
    const asked = accepted(await world.as("a").requestStick({ roomId: world.roomId, why: "mine waits" }));
    expect(asked.deliveries).toMatchObject([{ to: "b", wakeStatus: "fired" }]);
    expect(world.acts).toEqual(["push", "push"]);
  });

  it("is nobody where it is switched off", async () => {
    const world = await WakingWorld.open();
    Object.assign(world, { mode: "off", hasInbox: true });
    expect(await world.send(WAKE)).toMatchObject({ wakeStatus: "disabled", willBeSeen: "unknown" });
    expect(world.acts).toEqual([]);
  });

  it("is nobody who is receiving", async () => {
    const world = await WakingWorld.open();
    world.hasInbox = true;
    void world.as("b").listen({ roomId: world.roomId, maxWaitMs: 60_000 });
    const isWaiting = async () =>
      (await world.deps.store.readRoom(asRoomId(world.roomId)))?.room.waits.has(asAgentId("b"));
    await expect.poll(isWaiting).toBe(true);
    expect(await world.send(WAKE)).toMatchObject({ wakeStatus: "receiver_live", willBeSeen: "now" });
    expect(world.acts).toEqual([]);
    expect(await world.box()).toMatchObject({ wakeWantedSeq: 0 });
  });

  it("is the agent that is asked, and the answer says so", async () => {
    const world = await WakingWorld.open();
    world.push = async () => {
      const taken = accepted(await world.as("b").takeMessages({}));
      const [question] = taken.answer.messages;
      await taken.confirm();
      const reply = { roomId: world.roomId, messageId: question?.messageId ?? "", body: "8080" };
      accepted(await world.as("b").replyToMessage(reply));
      return "sent";
    };
    world.hasInbox = true;
    const asked = accepted(await world.as("a").askPeer({ roomId: world.roomId, to: "b", body: "which port?" }));
    expect(asked.answer).toMatchObject({ reply: { body: "8080" }, wakeStatus: "fired", timedOut: false });
  });
});

describe("the climb", () => {
  it("goes on after a definite failure, and gives its claim back when all fail", async () => {
    const world = await WakingWorld.open();
    Object.assign(world, { hasInbox: true, push: async () => "failed", obstacle: null, type: async () => "failed" });
    expect(await world.send(WAKE)).toMatchObject({ wakeStatus: "skipped_no_target", willBeSeen: "unknown" });
    expect(world.acts).toEqual(["push", "type"]);
    expect(await world.box()).toMatchObject({ wokenSeq: 0, wakeOutcome: "failed" });
    world.push = async () => world.showLife();
    expect(await world.send(WAKE)).toMatchObject({ wakeStatus: "fired", willBeSeen: "on_wake" });
  });

  it("ends where it is doubtful whether anything happened", async () => {
    const world = await WakingWorld.open();
    Object.assign(world, { hasInbox: true, push: async () => "sent", obstacle: null });
    expect(await world.send(WAKE)).toMatchObject({ wakeStatus: "fired_unconfirmed", willBeSeen: "unknown" });
    expect(world.acts).toEqual(["push"]);
  });

  it.each([
    ["busy", "skipped_busy"],
    ["draft", "skipped_draft"],
    ["dialog", "skipped_dialog"],
    ["no_target", "skipped_no_target"],
  ] as const)(
    "types nothing and claims nothing before a terminal with an obstacle: %s",
    async (obstacle, wakeStatus) => {
      const world = await WakingWorld.open();
      world.obstacle = obstacle;
      expect(await world.send(WAKE)).toMatchObject({ wakeStatus, willBeSeen: "unknown" });
      expect(world.acts).toEqual([]);
      expect(await world.box()).toMatchObject({ wokenSeq: 0, wakeOutcome: null });
      world.obstacle = null;
      expect(await world.send(WAKE)).toMatchObject({ wakeStatus: "fired_unconfirmed" });
      expect(world.acts).toEqual(["type"]);
    },
  );

  it("looks at the facts again before every rung", async () => {
    const world = await WakingWorld.open();
    world.hasInbox = true;
    world.push = async () => {
      world.world.gone.add("b");
      return "failed";
    };
    world.obstacle = null;
    expect(await world.send(WAKE)).toMatchObject({ wakeStatus: "skipped_no_target" });
    expect(world.acts).toEqual(["push"]);
  });

  it("does nothing for a session in whose process another one has begun since", async () => {
    const world = await WakingWorld.open();
    world.hasInbox = true;
    world.world.nowMs += 1000;
    accepted(await world.as("b:later", "b").joinPath({ contextPath: world.project }));
    expect(await world.send(WAKE)).toMatchObject({ wakeStatus: "skipped_no_target" });
    expect(world.acts).toEqual([]);
    world.world.nowMs += 1000;
    accepted(await world.as("b").waitForTurn({ roomId: world.roomId, maxWaitMs: 0, claim: false }));
    expect(await world.send(WAKE)).toMatchObject({ wakeStatus: "fired" });
  });

  it("leaves a trace of each wake", async () => {
    const world = await WakingWorld.open();
    world.hasInbox = true;
    const { messageId } = await world.send(WAKE);
    expect(world.traced).toEqual([
      { agentId: "b", by: "sender", messageId, steps: ["native: fired"], status: "fired" },
    ]);
  });
});

describe("one batch of unread mail", () => {
  it("is woken for once, and again only when it was read", async () => {
    const world = await WakingWorld.open();
    world.hasInbox = true;
    expect(await world.send(WAKE)).toMatchObject({ wakeStatus: "fired" });
    expect(await world.send(WAKE)).toMatchObject({ wakeStatus: "fired_unconfirmed", willBeSeen: "unknown" });
    expect(world.acts).toEqual(["push"]);
    await world.readAll();
    expect(await world.send(WAKE)).toMatchObject({ wakeStatus: "fired" });
    expect(world.acts).toEqual(["push", "push"]);
  });

  it("is woken for by a later message although the first ones asked for nothing", async () => {
    const world = await WakingWorld.open();
    world.hasInbox = true;
    await world.send();
    expect(await world.send(WAKE)).toMatchObject({ wakeStatus: "fired" });
  });

  it("is woken for by a repeated send whose first wake never happened, and not by one of read mail", async () => {
    const world = await WakingWorld.open();
    await world.send({ msgId: "m1" });
    world.hasInbox = true;
    expect(await world.send({ msgId: "m1", ...WAKE })).toMatchObject({ wakeStatus: "fired" });
    await world.readAll();
    expect(await world.send({ msgId: "m1", ...WAKE })).toMatchObject({ wakeStatus: "receiver_live" });
    expect(world.acts).toEqual(["push"]);
  });
});

async function traced(world: WakingWorld, messageId = "") {
  const [delivery] = accepted(await world.as("a").messageStatus({ messageId })).deliveries;
  return delivery?.wakeStatus;
}

describe("a wake that was sent", () => {
  it("is fired when its recipient shows a sign of life, by a hook, by its harness, or by reading its mail", async () => {
    const signs: readonly ((world: WakingWorld) => unknown)[] = [
      (world) => world.showLife(),
      (world) => world.know({ activity: { state: "busy", since: "2026-01-01T00:00:00.000Z" } }),
      (world) => Object.assign(world, { activity: "busy" }),
      (world) => world.readAll(),
    ];
    for (const sign of signs) {
      const world = await WakingWorld.open();
      Object.assign(world, { hasInbox: true, activity: "idle" });
      world.push = async () => {
        await sign(world);
        return "sent";
      };
      expect(await world.send(WAKE)).toMatchObject({ wakeStatus: "fired", willBeSeen: "on_wake" });
    }
  });

  it("is unconfirmed while nothing is seen of its recipient, and the trace tells of the sign that comes later", async () => {
    const world = await WakingWorld.open();
    Object.assign(world, { hasInbox: true, push: async () => "sent" });
    const { messageId, ...told } = await world.send(WAKE);
    expect(told).toMatchObject({ wakeStatus: "fired_unconfirmed", willBeSeen: "unknown" });
    expect(await traced(world, messageId)).toBe("fired_unconfirmed");
    await world.know({ sessionId: "session-b" });
    world.world.nowMs += 10_000;
    world.showLife();
    expect(await traced(world, messageId)).toBe("fired");
    await world.readAll();
    expect(await traced(world, messageId)).toBeUndefined();
  });

  it("and got lost keeps others from waking only for a while, and their text is another", async () => {
    const world = await WakingWorld.open();
    Object.assign(world, { hasInbox: true, push: async () => "sent" });
    const first = await world.send({ msgId: "m1", ...WAKE });
    expect(first).toMatchObject({ wakeStatus: "fired_unconfirmed" });
    expect(await world.send(WAKE)).toMatchObject({ wakeStatus: "fired_unconfirmed" });
    expect(world.acts).toEqual(["push"]);
    world.push = async () => world.showLife();
    world.world.nowMs += 5000;
    expect(await world.send({ msgId: "m1", ...WAKE })).toMatchObject({ wakeStatus: "fired" });
    expect(world.acts).toEqual(["push", "push"]);
    expect(new Set(world.texts).size).toBe(2);
    expect(world.texts[1]).toContain("2 messages");
  });
});

async function wokenForMail(): Promise<WakingWorld> {
  const world = await WakingWorld.open();
  world.hasInbox = true;
  expect(await world.send(WAKE)).toMatchObject({ wakeStatus: "fired" });
  return world;
}

async function pass(world: WakingWorld): Promise<void> {
  const { roomId } = world;
  await world.know({});
  const turn = accepted(await world.as("a").waitForTurn({ roomId, maxWaitMs: 0 }));
  if (turn.status !== "your_turn") throw new Error(turn.status);
  const handoff = { status: "half done", nextAction: "finish it" };
  const token = { leaseId: turn.leaseId, expectedTurnId: turn.turnId };
  accepted(await world.as("a").passStick({ roomId, ...token, toAgentId: "b", handoff }));
}

describe("a stick that is passed to an agent that was woken for mail and has not read it", () => {
  it("wakes it again, once, and mail that follows does not", async () => {
    const world = await wokenForMail();
    await pass(world);
    expect(world.acts).toEqual(["push", "push"]);
    expect(await world.send(WAKE)).toMatchObject({ wakeStatus: "fired_unconfirmed" });
    expect(world.acts).toEqual(["push", "push"]);
  });

  it("ends another process's claim for the older mail, so that one wake tells of both", async () => {
    const world = await WakingWorld.open();
    await world.send();
    const claim = await world.claimBy("other");
    world.hasInbox = true;
    await pass(world);
    expect(isClaim(claim) && (await beginWake(world.deps, asAgentId("b"), claim))).toBe(false);
    expect(world.acts).toEqual(["push"]);
  });

  it("leaves alone who is at it in this very moment, and nobody else", async () => {
    for (const [passedMs, acts] of [
      [0, []],
      [5000, ["push"]],
    ] as const) {
      const world = await WakingWorld.open();
      await world.send();
      const claim = await world.claimBy("other");
      expect(isClaim(claim) && (await beginWake(world.deps, asAgentId("b"), claim))).toBe(true);
      world.hasInbox = true;
      world.world.nowMs += passedMs;
      await pass(world);
      expect(world.acts).toEqual(acts);
    }
  });

  it("leaves the wake to the next message when nothing could be done", async () => {
    const world = await wokenForMail();
    world.push = async () => "failed";
    await pass(world);
    world.push = async () => world.showLife();
    expect(await world.send(WAKE)).toMatchObject({ wakeStatus: "fired" });
    expect(await world.send(WAKE)).toMatchObject({ wakeStatus: "fired_unconfirmed" });
    expect(world.acts).toEqual(["push", "push", "push"]);
  });

  it("wakes it by the process inside its harness, too", async () => {
    const world = await wokenForMail();
    world.hasInbox = false;
    await world.know({ waker: processOf("waker") });
    await pass(world);
    const ways = { mode: "auto", hasInbox: () => false } as const;
    const sleeping = { agentId: asAgentId("b"), project: world.project, waker: processOf("waker") };
    expect(await claimOwnWake(world.deps, ways, sleeping)).toMatchObject({ senders: ["a"] });
    expect(await claimOwnWake(world.deps, ways, sleeping)).toBeNull();
  });
});

describe("a process that claims a wake and dies", () => {
  it("leaves it to the next one, at once, or when its time is over if nobody can tell", async () => {
    for (const isSeen of [true, false]) {
      const world = await WakingWorld.open();
      await world.send();
      const claim = await world.claimBy("other");
      world.hasInbox = true;
      expect(await world.send(WAKE)).toMatchObject({ wakeStatus: "fired_unconfirmed" });
      if (isSeen) world.world.gone.add("other");
      else world.world.nowMs += 5000;
      expect(await world.send(WAKE)).toMatchObject({ wakeStatus: "fired" });
      expect(isClaim(claim) && (await beginWake(world.deps, asAgentId("b"), claim))).toBe(false);
      expect(world.acts).toEqual(["push"]);
    }
  });

  it("bars the others when it had begun what cannot be taken back, until nothing has come of it for long", async () => {
    const world = await WakingWorld.open();
    await world.send();
    const claim = await world.claimBy("other");
    expect(isClaim(claim) && (await beginWake(world.deps, asAgentId("b"), claim))).toBe(true);
    world.world.gone.add("other");
    world.world.nowMs += 4999;
    world.hasInbox = true;
    expect(await world.send(WAKE)).toMatchObject({ wakeStatus: "fired_unconfirmed" });
    expect(world.acts).toEqual([]);
    world.world.nowMs += 1;
    expect(await world.send(WAKE)).toMatchObject({ wakeStatus: "fired" });
    expect(world.acts).toEqual(["push"]);
  });
});

describe("a wake that goes wrong", () => {
  it("is a status, and the message is sent", async () => {
    const world = await WakingWorld.open();
    world.hasInbox = true;
    world.push = () => Promise.reject(new Error("no such thing"));
    expect(await world.send(WAKE)).toMatchObject({ state: "pending", wakeStatus: "fired_unconfirmed" });
  });

  it("takes no longer than its own time, and nothing is begun afterwards", async () => {
    const world = await WakingWorld.open();
    world.hasInbox = true;
    const ends = new EventEmitter();
    world.push = async () => {
      await once(ends, "end");
      return "failed";
    };
    world.obstacle = null;
    expect(await world.send(WAKE)).toMatchObject({ state: "pending", wakeStatus: "fired_unconfirmed" });
    ends.emit("end");
    await expect.poll(async () => (await world.box()).wakeOutcome).toBe("failed");
    expect(world.acts).toEqual(["push"]);
  });
});

describe("a process inside the harness", () => {
  const waker = processOf("waker");

  it("that does nothing in time leaves the wake to the next way", async () => {
    const world = await WakingWorld.open();
    await world.know({ waker });
    world.hasInbox = true;
    expect(await world.send(WAKE)).toMatchObject({ wakeStatus: "fired" });
    expect(world.traced[0]).toMatchObject({ steps: ["waker: nothing", "native: fired"] });
  });

  it("that does nothing leaves time enough for keys", async () => {
    const world = await WakingWorld.open();
    world.letTimePass();
    await world.know({ waker });
    world.obstacle = null;
    expect(await world.send(WAKE)).toMatchObject({ wakeStatus: "fired_unconfirmed" });
    expect(world.traced[0]).toMatchObject({ steps: ["waker: nothing", "terminal: fired_unconfirmed"] });
    // With less than that, keys are not begun; what is above it is for a slow machine.
    expect(world.typedForMs).toBeGreaterThan(400);
  });

  it("that is gone is not waited for", async () => {
    const world = await WakingWorld.open();
    world.world.gone.add("waker");
    await world.know({ waker });
    world.hasInbox = true;
    await world.send(WAKE);
    expect(world.traced[0]).toMatchObject({ steps: ["native: fired"] });
  });
});
