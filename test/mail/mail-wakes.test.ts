/** Mail wakes who waits: once for each message, without taking the place in the queue, and at no cost while none comes. */
import { expect, it } from "vitest";
import { asAgentId, asRoomId } from "../../src/core/ids.ts";
import { listen } from "../../src/stick/listen.ts";
import type { NotYet } from "../../src/stick/rules/answers.ts";
import { HANDOFF } from "../support/room-world.ts";
import { accepted, ServiceWorld } from "../support/service-world.ts";

async function heldRoom(world: ServiceWorld) {
  const { roomId } = accepted(await world.as("a").joinPath({ contextPath: world.directory("project") }));
  const turn = accepted(await world.as("a").waitForTurn({ roomId, maxWaitMs: 0 }));
  if (turn.status !== "your_turn") throw new Error("a should hold the stick");
  await world.as("b").waitForTurn({ roomId, maxWaitMs: 0, claim: false });
  const token = { roomId, leaseId: turn.leaseId, expectedTurnId: turn.turnId };
  const send = async (body: string) => accepted(await world.as("a").sendMessage({ roomId, to: "b", body }));
  return { roomId, token, send };
}

/** A wait that has looked for the first time. */
async function startWaiting(world: ServiceWorld, roomId: string, more: object = {}) {
  return new Promise<{ answer: Promise<unknown>; seen: NotYet }>((resolve) => {
    const onLook = (seen: NotYet) => resolve({ answer, seen });
    const answer = world.as("b").waitForTurn({ roomId, maxWaitMs: 60_000, onLook, ...more });
  });
}

async function untilWaiting(world: ServiceWorld, roomId: string): Promise<void> {
  while (!(await world.deps.store.readRoom(asRoomId(roomId)))?.room.waits.has(asAgentId("b"))) {
    await new Promise(setImmediate);
  }
}

function callerB(world: ServiceWorld) {
  const { agentId } = world.as("b");
  return {
    agentId,
    harness: "b",
    isPerson: false,
    process: null,
    sessionId: null,
    formerId: null,
    tmuxPane: null,
  };
}

it("a message ends the wait of its recipient, who keeps its place in the queue", async () => {
  const world = new ServiceWorld();
  const { roomId, token, send } = await heldRoom(world);
  const { answer } = await startWaiting(world, roomId);
  await send("which port?");
  expect(await answer).toMatchObject({ status: "not_yet", unread: 1, queuePosition: 1, currentOwner: "a" });
  expect(await world.as("a").releaseStick({ ...token, handoff: HANDOFF })).toMatchObject({ reservedFor: "b" });
});

it("a wait returns at once for mail that came before, and not again for the same mail", async () => {
  const world = new ServiceWorld();
  const { roomId, token, send } = await heldRoom(world);
  await send("one");
  expect(await world.as("b").waitForTurn({ roomId, maxWaitMs: 60_000 })).toMatchObject({ unread: 1 });
  const { answer, seen } = await startWaiting(world, roomId);
  expect(seen).toMatchObject({ unread: 1 });
  await send("two");
  expect(await answer).toMatchObject({ status: "not_yet", unread: 2 });
  const last = await startWaiting(world, roomId);
  await world.as("a").releaseStick({ ...token, handoff: HANDOFF });
  expect(await last.answer).toMatchObject({ status: "your_turn" });
});

it("one look tells how much is unread, and leaves the telling to the next wait", async () => {
  const world = new ServiceWorld();
  const { roomId, send } = await heldRoom(world);
  await send("one");
  for (const _ of [1, 2]) {
    expect(await world.as("b").waitForTurn({ roomId, maxWaitMs: 0 })).toMatchObject({ unread: 1 });
  }
  expect(await world.as("b").waitForTurn({ roomId, maxWaitMs: 60_000 })).toMatchObject({ unread: 1 });
});

it("a waiter that does not want to be woken by mail keeps waiting", async () => {
  const world = new ServiceWorld();
  const { roomId, token, send } = await heldRoom(world);
  const { answer } = await startWaiting(world, roomId, { wakeOnMessage: false });
  expect((await send("one")).deliveries).toMatchObject([{ willBeSeen: "unknown" }]);
  await world.as("a").releaseStick({ ...token, handoff: HANDOFF });
  expect(await answer).toMatchObject({ status: "your_turn", turnId: 2 });
});

it("mail that another door has taken, or that an ask waits for, is no news", async () => {
  const world = new ServiceWorld();
  const { roomId, token, send } = await heldRoom(world);
  await send("taken");
  accepted(await world.as("b").takeMessages({}));
  const asked = world.as("b").askPeer({ roomId, to: "a", body: "which port?", timeoutMs: 60_000 });
  const question = accepted(await world.as("a").receiveMessages({ maxWaitMs: 60_000 }));
  const { answer, seen } = await startWaiting(world, roomId);
  expect(seen.unread).toBe(1);
  const messageId = question.answer.messages[0]?.messageId as string;
  const replied = accepted(await world.as("a").replyToMessage({ roomId, messageId, body: "8080" }));
  expect(replied.deliveries).toMatchObject([{ willBeSeen: "now" }]);
  accepted(await asked);
  await world.as("a").releaseStick({ ...token, handoff: HANDOFF });
  expect(await answer).toMatchObject({ status: "your_turn" });
});

it("a waiter without mail changes nothing in the store", async () => {
  const world = new ServiceWorld();
  const { roomId } = await heldRoom(world);
  const cancel = new AbortController();
  const { answer } = await startWaiting(world, roomId, { signal: cancel.signal });
  const before = await world.deps.store.changeMark();
  for (let round = 0; round < 20; round += 1) {
    await world.deps.bell.ring([world.as("b").agentId]);
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
  expect(await world.deps.store.changeMark()).toBe(before);
  cancel.abort();
  await answer;
});

it("a listener gets its mail, and it is read once the answer is out", async () => {
  const world = new ServiceWorld();
  const { roomId, send, token } = await heldRoom(world);
  await send("one");
  const heard = accepted(await listen(world.deps, callerB(world), { roomId, maxWaitMs: 60_000 }));
  expect(heard.answer).toMatchObject({ status: "messages", messages: [{ body: "one", attempt: 1 }], remaining: 0 });
  expect(accepted(await world.as("b").peekMessages({})).messages).toMatchObject([{ state: "in_flight" }]);
  await heard.confirm();
  expect(accepted(await world.as("b").peekMessages({})).count).toBe(0);
  // It was there a moment ago, so it can be passed to.
  expect(await world.as("a").passStick({ ...token, toAgentId: "b", handoff: HANDOFF })).toMatchObject({
    status: "passed",
  });
});

it("a message to a listener is seen now", async () => {
  const world = new ServiceWorld();
  const { roomId, send } = await heldRoom(world);
  const heard = listen(world.deps, callerB(world), { roomId, maxWaitMs: 60_000 });
  await untilWaiting(world, roomId);
  expect((await send("one")).deliveries).toMatchObject([{ willBeSeen: "now" }]);
  expect(accepted(await heard).answer).toMatchObject({ status: "messages" });
});

it("mail comes along with a turn, and a refusal costs no message an attempt", async () => {
  const world = new ServiceWorld();
  const { roomId, send, token } = await heldRoom(world);
  await send("one");
  for (const _ of [1, 2]) {
    expect(await listen(world.deps, callerB(world), { roomId: "nowhere" })).toMatchObject({ error: "room_not_found" });
  }
  await world.as("b").waitForTurn({ roomId, maxWaitMs: 60_000 });
  await world.as("a").passStick({ ...token, toAgentId: "b", handoff: HANDOFF });
  const heard = accepted(await listen(world.deps, callerB(world), { roomId, maxWaitMs: 60_000 }));
  expect(heard.answer).toMatchObject({ status: "your_turn", messages: [{ body: "one", attempt: 1 }] });
});

it("a reply that comes after its ask has ended is marked late, and one that was awaited is not", async () => {
  const world = new ServiceWorld();
  const { roomId } = await heldRoom(world);
  const asked = accepted(await world.as("a").askPeer({ roomId, to: "b", body: "which port?", timeoutMs: 0 }));
  expect(asked.answer).toMatchObject({ reply: null, timedOut: true });
  const { messageId } = asked.answer;
  accepted(await world.as("b").replyToMessage({ roomId, messageId, body: "8080" }));
  const { messages } = accepted(await world.as("a").takeMessages({})).answer;
  expect(messages).toMatchObject([{ body: "8080", late: true, requestId: messageId, replyTo: messageId }]);
  await accepted(await world.as("b").takeMessages({})).confirm();
  const again = world.as("a").askPeer({ roomId, to: "b", body: "and now?", timeoutMs: 60_000 });
  const [question] = accepted(await world.as("b").receiveMessages({ maxWaitMs: 60_000 })).answer.messages;
  accepted(await world.as("b").replyToMessage({ roomId, messageId: question?.messageId as string, body: "8081" }));
  expect(accepted(await again).answer.reply).toMatchObject({ body: "8081" });
  const replayed = accepted(await world.as("a").peekMessages({ afterDeliverySeq: 0 })).messages;
  expect(replayed.map(({ body, late }) => [body, late])).toEqual([
    ["8080", true],
    ["8081", undefined],
  ]);
});
