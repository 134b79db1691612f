import { expect, it } from "vitest";
import { listen } from "../../src/stick/listen.ts";
import { HANDOFF } from "../support/room-world.ts";
import { accepted, ServiceWorld } from "../support/service-world.ts";

async function heldRoom(world: ServiceWorld) {
  const { roomId } = accepted(await world.as("a").joinPath({ contextPath: world.directory("project") }));
  const turn = accepted(await world.as("a").waitForTurn({ roomId, maxWaitMs: 0 }));
  if (turn.status !== "your_turn") throw new Error("a should hold the stick");
  return { roomId, leaseId: turn.leaseId, expectedTurnId: turn.turnId };
}

const caller = (world: ServiceWorld) => ({
  agentId: world.as("b").agentId,
  harness: "b",
  isPerson: false,
  process: null,
  sessionId: null,
  formerId: null,
  tmuxPane: null,
});

/** Refused until the other one listens. */
async function untilDone(call: () => Promise<object>): Promise<void> {
  while (!("status" in (await call()))) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}

/** The clock moves by itself. */
const ticking = (world: ServiceWorld) => ({
  ...world.deps,
  clock: { now: () => ({ ...world.deps.clock.now(), instant: { epoch: "boot-1", ms: (world.nowMs += 1) } }) },
});

it("a listener whose time is up stays reachable for the room's grace", async () => {
  for (let round = 0; round < 50; round += 1) {
    const world = new ServiceWorld();
    const token = await heldRoom(world);
    // Both waits end at about the same time.
    const heard = accepted(
      await listen(ticking(world), caller(world), { roomId: token.roomId, maxWaitMs: 1 + (round % 7) }),
    );
    expect(heard.answer.status).toBe("not_yet");
    expect(await world.as("a").passStick({ ...token, toAgentId: "b", handoff: HANDOFF })).toMatchObject({
      status: "passed",
    });
  }
});

it("a cursor that the log does not reach, as after a backup was restored, counts as its end", async () => {
  const world = new ServiceWorld();
  const { roomId } = await heldRoom(world);
  const heard = accepted(await listen(ticking(world), caller(world), { roomId, maxWaitMs: 5, afterEventSeq: 999 }));
  expect(heard.answer.status).toBe("not_yet");
  expect(heard.cursorEventSeq).toBeLessThan(10);
});

it("a turn that is passed to a listener ends the listening", async () => {
  const world = new ServiceWorld();
  const token = await heldRoom(world);
  await world
    .as("b")
    .waitForTurn({ roomId: token.roomId, maxWaitMs: 1, claim: false, signal: AbortSignal.timeout(20) });
  const heard = listen(world.deps, caller(world), { roomId: token.roomId, maxWaitMs: 60_000 });
  await world.as("b").joinPath({ contextPath: world.directory("project") });
  await untilDone(() => world.as("a").passStick({ ...token, toAgentId: "b", handoff: HANDOFF }));
  expect(accepted(await heard).answer).toMatchObject({ status: "your_turn", reason: "direct_pass" });
});

it("a holder that knows its turn receives its mail, and is told of a turn that it does not know", async () => {
  const world = new ServiceWorld();
  const { roomId, expectedTurnId } = await heldRoom(world);
  const holder = { ...caller(world), agentId: world.as("a").agentId, harness: "a" };
  await world.as("b").joinPath({ contextPath: world.directory("project") });
  const untold = accepted(await listen(world.deps, holder, { roomId, maxWaitMs: 60_000 }));
  expect(untold.answer).toMatchObject({ status: "your_turn", reason: "already_owner" });
  const nothing = accepted(await listen(ticking(world), holder, { roomId, maxWaitMs: 1, knownTurn: expectedTurnId }));
  expect(nothing.answer).toMatchObject({ status: "not_yet", currentOwner: "a", turnId: expectedTurnId, unread: 0 });
  const heard = listen(world.deps, holder, { roomId, maxWaitMs: 60_000, knownTurn: expectedTurnId });
  for (;;) {
    const sent = accepted(await world.as("b").sendMessage({ roomId, to: "a", body: "hello" }));
    if (sent.deliveries[0]?.willBeSeen === "now") break;
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
  const { answer } = accepted(await heard);
  expect(answer).toMatchObject({ status: "messages", messages: [{ body: "hello" }] });
});

it("a holder that listens and loses its turn goes on listening as anybody does", async () => {
  const world = new ServiceWorld();
  const token = await heldRoom(world);
  const { roomId, expectedTurnId: knownTurn } = token;
  const holder = { ...caller(world), agentId: world.as("a").agentId, harness: "a" };
  const heard = listen(world.deps, holder, { roomId, maxWaitMs: 60_000, knownTurn });
  accepted(await world.as("a").releaseStick({ ...token, handoff: HANDOFF }));
  accepted(await world.as("b").joinPath({ contextPath: world.directory("project") }));
  const taken = accepted(await world.as("b").waitForTurn({ roomId, maxWaitMs: 0 }));
  if (taken.status !== "your_turn") throw new Error("b should have it");
  const passed = { roomId, leaseId: taken.leaseId, expectedTurnId: taken.turnId, toAgentId: "a", handoff: HANDOFF };
  await untilDone(() => world.as("b").passStick(passed));
  expect(accepted(await heard).answer).toMatchObject({ status: "your_turn", reason: "direct_pass" });
});

it("the library listens to mail and to the stick at once, and its messages are in flight until they are confirmed", async () => {
  const world = new ServiceWorld();
  const token = await heldRoom(world);
  const { roomId } = token;
  const b = world.as("b");
  accepted(await b.joinPath({ contextPath: world.directory("project") }));
  const { messageId } = accepted(await world.as("a").sendMessage({ roomId, to: "b", body: "hello" }));
  const state = async () => accepted(await b.messageStatus({ messageId })).deliveries[0]?.state;
  const mail = accepted(await b.listen({ roomId }));
  expect(mail.answer).toMatchObject({ status: "messages", messages: [{ body: "hello" }], remaining: 0 });
  expect(await state()).toBe("in_flight");
  await mail.confirm();
  expect(await state()).toBe("acked");
  const listening = b.listen({ roomId, afterEventSeq: mail.cursorEventSeq });
  accepted(await world.as("a").passStick({ ...token, toAgentId: "b", handoff: HANDOFF }));
  expect(accepted(await listening).answer).toMatchObject({ status: "your_turn" });
});

it("a lost reservation is told with the agent that holds the stick since then", async () => {
  const world = new ServiceWorld({ claimTtlMs: 1000 });
  const token = await heldRoom(world);
  const { roomId } = token;
  await world.as("b").waitForTurn({ roomId, maxWaitMs: 1, claim: false, signal: AbortSignal.timeout(20) });
  const { cursorEventSeq: afterEventSeq } = accepted(
    await listen(ticking(world), caller(world), { roomId, maxWaitMs: 5 }),
  );
  accepted(await world.as("a").passStick({ ...token, toAgentId: "b", handoff: HANDOFF }));
  world.nowMs += 60_000;
  accepted(await world.as("c").joinPath({ contextPath: world.directory("project") }));
  expect(await world.as("c").waitForTurn({ roomId, maxWaitMs: 0 })).toMatchObject({ status: "your_turn" });
  const heard = accepted(await listen(ticking(world), caller(world), { roomId, maxWaitMs: 5, afterEventSeq }));
  expect(heard.answer).toMatchObject({ status: "reservation_lost", reservedFor: null, currentOwner: "c" });
});
