/** A pause keeps the place of a waiter, but a waiter whose call is over hears nothing: it is told, and woken. */
import { describe, expect, it } from "vitest";
import { asAgentId } from "../../src/core/ids.ts";
import { createTalkingStick } from "../../src/surfaces/library/talking-stick.ts";
import { processOf } from "../support/room-world.ts";
import { accepted, ServiceWorld } from "../support/service-world.ts";
import { WakingWorld } from "../wake/waking-world.ts";

/** The room is paused and nobody holds the stick. `b` can be woken; its call has waited, and is over for `overMs`. */
async function waitedInPause({ overMs }: { readonly overMs: number }) {
  const world = await WakingWorld.open();
  await world.know({ process: processOf("b") });
  const { roomId } = world;
  const person = createTalkingStick(world.deps, {
    agentId: asAgentId("human:eve"),
    harness: "human",
    isPerson: true,
    process: null,
    sessionId: null,
    formerId: null,
    tmuxPane: null,
  });
  accepted(await person.joinPath({ contextPath: world.project }));
  accepted(await person.pauseRoom({ roomId }));
  await world.readAll();
  await waited(world);
  world.world.nowMs += overMs;
  world.hasInbox = true;
  return { world, roomId, person };
}

async function waited(world: WakingWorld): Promise<void> {
  let ended: Promise<unknown> | undefined;
  await new Promise<void>((looked) => {
    ended = world.as("b").waitForTurn({ roomId: world.roomId, maxWaitMs: 1000, onLook: () => looked() });
  });
  world.world.nowMs += 1000;
  expect(await ended).toMatchObject({ status: "not_yet", queuePosition: 1 });
}

async function lettersTo(world: WakingWorld): Promise<readonly string[]> {
  const { answer } = accepted(await world.as("b").takeMessages({}));
  return answer.messages.map(({ body }) => body);
}

const LONG_MS = 600_000;

describe("an agent whose wait ended during the pause", () => {
  it("is woken when the room is resumed and the stick is reserved for it", async () => {
    const { world, roomId, person } = await waitedInPause({ overMs: LONG_MS });
    expect(accepted(await person.resumeRoom({ roomId }))).toMatchObject({ reservedFor: "b" });
    expect(world.acts).toEqual(["push"]);
    expect(await lettersTo(world)).toEqual([
      expect.stringContaining("I have resumed the room"),
      "The pause is over, and the stick is reserved for you.",
    ]);
  });

  it("is woken by a letter if a person gives it the stick during the pause", async () => {
    const { world, roomId, person } = await waitedInPause({ overMs: LONG_MS });
    expect(accepted(await person.giveStick({ roomId, toAgentId: "b" }))).toMatchObject({ reservedFor: "b" });
    expect(world.acts).toEqual(["push"]);
    expect(await lettersTo(world)).toEqual([
      expect.stringMatching(/^A person gave you the stick .* when it is resumed\.$/),
    ]);
  });

  it("is not called reachable if nothing can wake it, and keeps its place", async () => {
    const { world, roomId, person } = await waitedInPause({ overMs: LONG_MS });
    world.hasInbox = false;
    const { members } = accepted(await person.getRoomState({ roomId }));
    expect(members.find(({ agentId }) => agentId === "b")).toMatchObject({
      waiting: true,
      queuePosition: 1,
      reachable: false,
    });
  });

  it("needs no wake while its grace lasts: it was told to call again", async () => {
    const { world, roomId, person } = await waitedInPause({ overMs: 1000 });
    expect(accepted(await person.resumeRoom({ roomId }))).toMatchObject({ reservedFor: "b" });
    expect(world.acts).toEqual([]);
  });
});

it("of a pause that another person has ended already, no agent is told after its end", async () => {
  const world = new ServiceWorld();
  const contextPath = world.directory("tree");
  const { roomId } = accepted(await world.as("a").joinPath({ contextPath }));
  const bob = world.as("human:bob", { person: true });
  let ends = false;
  const faster = {
    name: "another person",
    run: async () => {
      if (!ends) return;
      ends = false;
      accepted(await bob.resumeRoom({ roomId }));
    },
  };
  const eve = createTalkingStick(
    { ...world.deps, afterCommit: [faster] },
    world.callerOf("human:eve", { person: true }),
  );
  accepted(await eve.joinPath({ contextPath }));
  ends = true;
  expect(accepted(await eve.pauseRoom({ roomId }))).toMatchObject({ told: null });
  const { answer } = accepted(await world.as("a").takeMessages({}));
  expect(answer.messages.map(({ body }) => body)).toEqual([expect.stringContaining("I have resumed the room")]);
});

it("a long reason is cut at the end of a character in what the agents read", async () => {
  const world = new ServiceWorld();
  const contextPath = world.directory("tree");
  const { roomId } = accepted(await world.as("a").joinPath({ contextPath }));
  const eve = world.as("human:eve", { person: true });
  for (const before of ["", "x"]) {
    accepted(await eve.pauseRoom({ roomId, reason: `${before}${"🙂".repeat(200)}` }));
    accepted(await eve.resumeRoom({ roomId }));
    const { answer, confirm } = accepted(await world.as("a").takeMessages({}));
    await confirm();
    expect(answer.messages[0]?.body).toMatch(/🙂…"\./u);
  }
});
