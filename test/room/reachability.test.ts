/** Who can be reached is one question with one answer, whether the state of a room, a list or a pass asks it. */
import { describe, expect, it } from "vitest";
import { asAgentId } from "../../src/core/ids.ts";
import { asReceiver } from "../../src/mail/as-receiver.ts";
import { createTalkingStick } from "../../src/surfaces/library/talking-stick.ts";
import { makeRepository } from "../support/git-repository.ts";
import { HANDOFF, processOf } from "../support/room-world.ts";
import { agentCalled } from "../support/service-ports.ts";
import { accepted, ServiceWorld } from "../support/service-world.ts";
import { WakingWorld } from "../wake/waking-world.ts";

/** `a` holds the stick, `b` is a member. */
async function heldRoom(world: ServiceWorld) {
  const contextPath = world.directory("project");
  const { roomId } = accepted(await world.as("a").joinPath({ contextPath }));
  const turn = accepted(await world.as("a").waitForTurn({ roomId, maxWaitMs: 0 }));
  if (turn.status !== "your_turn") throw new Error(turn.status);
  accepted(await world.as("b").joinPath({ contextPath }));
  return { roomId, leaseId: turn.leaseId, expectedTurnId: turn.turnId, contextPath };
}

/** What a join, the state, a list and a pass say of `b`; a pass that is accepted gives the stick away. */
async function saidOf(world: ServiceWorld, { contextPath, ...token }: Awaited<ReturnType<typeof heldRoom>>) {
  const { members: joined } = accepted(await world.as("a").joinPath({ contextPath }));
  const { members } = accepted(await world.as("a").getRoomState({ roomId: token.roomId }));
  const { sessions } = accepted(await world.as("a").listProjectSessions({ contextPath }));
  const passed = await world.as("a").passStick({ ...token, toAgentId: "b", handoff: HANDOFF });
  return [
    joined.find(({ agentId }) => agentId === "b")?.reachable,
    members.find(({ agentId }) => agentId === "b")?.reachable,
    sessions.find(({ agentId }) => agentId === "b")?.reachable,
    "status" in passed,
  ];
}

describe("reachable is", () => {
  it("a member that is shown its mail as it comes", async () => {
    const world = new ServiceWorld();
    const token = await heldRoom(world);
    await asReceiver(world.deps, agentCalled("b"), {}, async () => {
      expect(await saidOf(world, token)).toEqual([true, true, true, true]);
    });
  });

  it("not one that receives a single sender's mail, or whose receiver died", async () => {
    const world = new ServiceWorld();
    const token = await heldRoom(world);
    await asReceiver(world.deps, agentCalled("b"), { from: "x" }, async () => {
      expect(await saidOf(world, token)).toEqual([false, false, false, false]);
    });
    const elsewhere = { ...world.deps, probe: { ...world.deps.probe, self: () => processOf("recv") } };
    await asReceiver(elsewhere, agentCalled("b"), {}, async () => {
      world.gone.add("recv");
      expect(await saidOf(world, token)).toEqual([false, false, false, false]);
    });
  });

  it.each([
    ["an agent that waits", [], [true, true, true, true]],
    ["not an agent whose wait was killed", ["b-call"], [false, false, false, false]],
  ])("%s", async (_, gone, said) => {
    const world = new ServiceWorld();
    const token = await heldRoom(world);
    const probe = { ...world.deps.probe, self: () => processOf("b-call") };
    const cancel = new AbortController();
    const waiter = createTalkingStick({ ...world.deps, probe }, agentCalled("b"));
    await new Promise<void>((looked) => {
      const wait = { roomId: token.roomId, maxWaitMs: 600_000, onLook: () => looked(), signal: cancel.signal };
      void waiter.waitForTurn(wait);
    });
    for (const process of gone) world.gone.add(process);
    expect(await saidOf(world, token)).toEqual(said);
    cancel.abort();
  });
});

async function passTo(world: WakingWorld) {
  const { roomId } = world;
  const turn = accepted(await world.as("a").waitForTurn({ roomId, maxWaitMs: 0 }));
  if (turn.status !== "your_turn") throw new Error(turn.status);
  const token = { roomId, leaseId: turn.leaseId, expectedTurnId: turn.turnId };
  const { members } = accepted(await world.as("a").getRoomState({ roomId }));
  const passed = await world.as("a").passStick({ ...token, toAgentId: "b", handoff: HANDOFF });
  return [members.find(({ agentId }) => agentId === "b")?.reachable, "status" in passed];
}

describe("a session that sleeps", () => {
  it("is reachable where its harness takes a wake, and is woken by the pass", async () => {
    const world = await WakingWorld.open();
    await world.know({ process: processOf("b") });
    world.hasInbox = true;
    expect(await passTo(world)).toEqual([true, true]);
    expect(world.acts).toEqual(["push"]);
    const { answer } = accepted(await world.as("b").takeMessages({}));
    expect(answer.messages).toMatchObject([{ from: "a", body: expect.stringContaining(HANDOFF.nextAction) }]);
  });

  it("is reachable by a process in its harness that begins its turns, as long as that lives", async () => {
    const world = await WakingWorld.open();
    await world.know({ process: processOf("b"), waker: processOf("waker") });
    world.world.gone.add("waker");
    expect(await passTo(world)).toEqual([false, false]);
    world.world.gone.clear();
    expect((await passTo(world))[0]).toBe(true);
  });

  it("is not looked for in its harness's files where a process there begins its turns, or it is gone", async () => {
    const world = await WakingWorld.open();
    let looks = 0;
    Object.defineProperty(world, "hasInbox", { get: () => (looks += 1) > 0 });
    await world.know({ process: processOf("b"), waker: processOf("waker") });
    const { roomId } = world;
    const reachable = async () => {
      const { members } = accepted(await world.as("a").getRoomState({ roomId }));
      return members.find(({ agentId }) => agentId === "b")?.reachable;
    };
    expect([await reachable(), looks]).toEqual([true, 0]);
    world.world.gone.add("b");
    expect([await reachable(), looks]).toEqual([false, 0]);
    world.world.gone.delete("b");
    world.world.gone.add("waker");
    // Once for `b`: of `a` no session is known.
    expect([await reachable(), looks]).toEqual([true, 1]);
  });

  it("is not reachable where the look into its harness fails, and nothing else fails with it", async () => {
    const world = await WakingWorld.open();
    await world.know({ process: processOf("b") });
    Object.defineProperty(world, "hasInbox", {
      get: () => {
        throw new Error("its files cannot be read");
      },
    });
    expect(await passTo(world)).toEqual([false, false]);
    const contextPath = world.project;
    const { members } = accepted(await world.as("a").joinPath({ contextPath }));
    const { sessions } = accepted(await world.as("a").listProjectSessions({ contextPath }));
    expect([...members, ...sessions].map(({ agentId, reachable }) => [agentId, reachable])).toEqual([
      ["a", false],
      ["b", false],
      ["a", false],
      ["b", false],
    ]);
  });

  it("is woken by the pass of a sender that may send nothing more for now", async () => {
    const world = await WakingWorld.open();
    await world.know({ process: processOf("b") });
    world.hasInbox = true;
    const { roomId } = world;
    const { sendRatePerMin } = world.deps.policy;
    for (let index = 0; index < 2 * sendRatePerMin; index += 1) await world.send();
    const oneMore = { roomId, to: "b", body: "one more" };
    expect(await world.as("a").sendMessage(oneMore)).toMatchObject({ error: "rate_limited" });
    expect(await passTo(world)).toEqual([true, true]);
    expect(world.acts).toEqual(["push"]);
    expect(await world.as("a").sendMessage(oneMore)).toMatchObject({ error: "rate_limited" });
  });

  it("is not reachable where nothing may be woken", async () => {
    const world = await WakingWorld.open();
    await world.know({ process: processOf("b"), waker: processOf("waker") });
    Object.assign(world, { mode: "off", hasInbox: true });
    expect(await passTo(world)).toEqual([false, false]);
    expect(
      (await world.world.deps.store.readMailbox(asAgentId("b"), { kind: "live", limit: 1 })).window.deliveries,
    ).toEqual([]);
  });
});

describe("evidence decides which agent a name means", () => {
  it("about members of the project's other rooms, too", async () => {
    const world = new ServiceWorld();
    makeRepository(world.directory("here"));
    const { roomId } = accepted(await world.as("me").joinPath({ contextPath: world.directory("here") }));
    const there = world.directory("here/below");
    for (const agent of ["k:1", "k:2"]) {
      accepted(await world.as(agent).joinPath({ contextPath: there, forceNew: true }));
    }
    world.gone.add("k:1");
    world.nowMs += 60_000;
    const sent = accepted(await world.as("me").sendMessage({ roomId, to: "k", body: "hello" }));
    expect(sent.deliveries).toMatchObject([{ to: "k:2" }]);
  });

  it("about the one whose handle a pass names", async () => {
    const world = new ServiceWorld();
    const { contextPath, ...token } = await heldRoom(world);
    accepted(await world.as("claude:1").joinPath({ contextPath }));
    world.gone.add("claude:1");
    world.nowMs += 60_000;
    const pass = { ...token, toAgentId: "claude", handoff: HANDOFF };
    expect(await world.as("a").passStick(pass)).toMatchObject({
      error: "recipient_unreachable",
      facts: { to_agent_id: "claude:1", active: false },
    });
  });
});
