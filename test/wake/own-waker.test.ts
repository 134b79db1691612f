import { describe, expect, it, onTestFinished } from "vitest";
import { asAgentId } from "../../src/core/ids.ts";
import type { WakeTry } from "../../src/mail/rules/wake-status.ts";
import { wakeOwnSession } from "../../src/wake/own-waker.ts";
import { processOf } from "../support/room-world.ts";
import { WakingWorld } from "./waking-world.ts";

const WAKE = { wake: "auto" } as const;

/** A server inside the harness of `b`. */
function serve(world: WakingWorld, push: () => Promise<WakeTry> = async () => world.showLife(), harness = "b") {
  const stop = new AbortController();
  const pushes: string[] = [];
  const inbox = {
    harness: "b",
    push: () => {
      pushes.push("own");
      return push();
    },
  };
  let me = "b";
  const over = wakeOwnSession({
    deps: world.deps,
    waking: world.waking,
    inbox,
    whoAmI: async () => ({ agentId: asAgentId(me), harness, project: world.project }),
    signal: stop.signal,
  });
  const end = async () => {
    stop.abort();
    return over;
  };
  onTestFinished(async () => {
    await end();
  });
  return {
    pushes,
    over,
    end,
    become: (agent: string) => {
      me = agent;
    },
  };
}

async function registered(world: WakingWorld): Promise<unknown> {
  const rows = await world.deps.store.readSessions(world.project);
  return rows.find(({ agentId }) => agentId === "b")?.waker ?? null;
}

describe("a server inside the harness", () => {
  it("says in the session's row that it can wake it, and does so once for a batch", async () => {
    const world = await WakingWorld.open();
    await world.know({});
    const server = serve(world);
    await expect.poll(() => registered(world)).toEqual(processOf("test"));
    expect(await world.send(WAKE)).toMatchObject({ wakeStatus: "fired", willBeSeen: "on_wake" });
    expect(await world.send(WAKE)).toMatchObject({ wakeStatus: "fired_unconfirmed" });
    await world.readAll();
    expect(await world.send(WAKE)).toMatchObject({ wakeStatus: "fired" });
    expect(server.pushes).toEqual(["own", "own"]);
    expect(world.acts).toEqual([]);
    expect(world.traced.filter(({ by }) => by === "waker")).toHaveLength(2);
  });

  it("wakes nobody for mail whose sender does not ask for it", async () => {
    const world = await WakingWorld.open();
    await world.know({});
    const server = serve(world);
    await expect.poll(() => registered(world)).not.toBeNull();
    await world.send();
    await world.readAll();
    expect(await world.send(WAKE)).toMatchObject({ wakeStatus: "fired" });
    expect(server.pushes).toEqual(["own"]);
  });

  it("makes no row for a session that has none", async () => {
    const world = await WakingWorld.open();
    serve(world);
    expect(await world.send(WAKE)).toMatchObject({ wakeStatus: expect.stringMatching(/fired|skipped/) });
    expect(await world.deps.store.readSessions(world.project)).toEqual([]);
  });

  it("whose inbox is gone says so at once, and the sender finds another way", async () => {
    const world = await WakingWorld.open();
    await world.know({});
    const server = serve(world, async () => "failed");
    await expect.poll(() => registered(world)).not.toBeNull();
    world.hasInbox = true;
    expect(await world.send(WAKE)).toMatchObject({ wakeStatus: "fired" });
    expect(await server.over).toBe(false);
    expect(await registered(world)).toBeNull();
    expect(world.acts).toEqual(["push"]);
  });

  it("whose push is doubtful ends the climb", async () => {
    const world = await WakingWorld.open();
    await world.know({});
    serve(world, async () => "sent");
    await expect.poll(() => registered(world)).not.toBeNull();
    world.hasInbox = true;
    expect(await world.send(WAKE)).toMatchObject({ wakeStatus: "fired_unconfirmed" });
    expect(world.acts).toEqual([]);
  });

  it("leaves a session alone that belongs to another harness than the inbox", async () => {
    const world = await WakingWorld.open();
    await world.know({});
    const server = serve(world, async () => world.showLife(), "other");
    expect(await world.send(WAKE)).toMatchObject({ wakeStatus: "skipped_no_target" });
    expect(await server.end()).toBe(true);
    expect(server.pushes).toEqual([]);
  });

  it("that woke without a reaction waits for the next request, and does not wake again for the old one", async () => {
    const world = await WakingWorld.open();
    await world.know({});
    const server = serve(world, async () => "sent");
    await expect.poll(() => registered(world)).not.toBeNull();
    expect(await world.send(WAKE)).toMatchObject({ wakeStatus: "fired_unconfirmed" });
    world.world.nowMs += 5000;
    await world.send({ wake: "off" });
    expect(await world.send(WAKE)).toMatchObject({ wakeStatus: "fired_unconfirmed" });
    expect(server.pushes).toEqual(["own", "own"]);
  });

  it("wakes for mail that was there before it came", async () => {
    const world = await WakingWorld.open();
    await world.know({});
    await world.send(WAKE);
    const server = serve(world);
    await expect.poll(() => server.pushes).toEqual(["own"]);
    await expect.poll(async () => (await world.box()).wakeOutcome).toBe("fired");
  });

  it("looks again soon at a session that is at work, whose turn may be past the point at which it sees mail", async () => {
    const world = await WakingWorld.open();
    await world.know({ hooked: true });
    world.activity = "busy";
    const server = serve(world);
    await expect.poll(() => registered(world)).not.toBeNull();
    expect(await world.send(WAKE)).toMatchObject({ wakeStatus: "skipped_busy" });
    expect(server.pushes).toEqual([]);
    world.activity = "idle";
    // Far less than the half minute after which it looks anyway.
    await expect.poll(() => server.pushes, { timeout: 20_000 }).toEqual(["own"]);
  });

  it("follows its session to another name when it looks again", async () => {
    const world = await WakingWorld.open();
    await world.know({});
    const server = serve(world);
    await expect.poll(() => registered(world)).not.toBeNull();
    server.become("c");
    await world.world.deps.bell.ring([asAgentId("b")]);
    await world.as("c").joinPath({ contextPath: world.project });
    const sent = await world.as("a").sendMessage({ roomId: world.roomId, to: "c", body: "hello", ...WAKE });
    expect(sent).toMatchObject({ deliveries: [{ to: "c" }] });
    await expect.poll(() => server.pushes).toEqual(["own"]);
  });
});
