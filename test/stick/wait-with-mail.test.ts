/** A wait for the turn brings the mail that came meanwhile, and what its senders were told of that is true. */
import { describe, expect, it } from "vitest";
import { Fault } from "../../src/core/fault.ts";
import { asAgentId, asRoomId } from "../../src/core/ids.ts";
import type { Deps } from "../../src/engine/deps.ts";
import type { Store } from "../../src/engine/ports/store.ts";
import { type Waited, waitWithMail } from "../../src/stick/wait-with-mail.ts";
import { HANDOFF } from "../support/room-world.ts";
import { agentCalled } from "../support/service-ports.ts";
import { accepted, ServiceWorld } from "../support/service-world.ts";
import { storeOnClock } from "../support/store-on-clock.ts";

/** `a` holds the stick, and `b` is a member. */
async function heldRoom(world = new ServiceWorld()) {
  const contextPath = world.directory("project");
  const { roomId } = accepted(await world.as("a").joinPath({ contextPath }));
  const turn = accepted(await world.as("a").waitForTurn({ roomId, maxWaitMs: 0 }));
  if (turn.status !== "your_turn") throw new Error("a should hold the stick");
  accepted(await world.as("b").joinPath({ contextPath }));
  const token = { roomId, leaseId: turn.leaseId, expectedTurnId: turn.turnId };
  const send = async (body: string) => {
    const { messageId, deliveries } = accepted(await world.as("a").sendMessage({ roomId, to: "b", body }));
    return { messageId, willBeSeen: deliveries[0]?.willBeSeen };
  };
  const state = async (messageId: string) =>
    accepted(await world.as("a").messageStatus({ messageId })).deliveries[0]?.state;
  const wait = (more: object = {}, deps: Deps = world.deps, caller = agentCalled("b")) =>
    waitWithMail(deps, caller, { roomId, maxWaitMs: 60_000, ...more });
  return { world, roomId, token, send, state, wait };
}

/** Resolves when the wait is registered. */
async function begun(wait: (more: object) => ReturnType<typeof waitWithMail>, more: object = {}) {
  let ended: ReturnType<typeof waitWithMail> | undefined;
  await new Promise<void>((waits) => {
    ended = wait({ ...more, onLook: () => waits() });
  });
  return async (): Promise<Waited> => accepted(await (ended as ReturnType<typeof waitWithMail>));
}

describe("mail that comes while its recipient waits for its turn", () => {
  it("is seen now: it ends the wait, comes with the answer, and is read when that is out", async () => {
    const { token, world, send, state, wait } = await heldRoom();
    const ended = await begun(wait);
    const { messageId, willBeSeen } = await send("which port?");
    expect(willBeSeen).toBe("now");
    const { answer, confirm } = await ended();
    expect(answer).toMatchObject({ status: "not_yet", unread: 0, remaining: 0, queuePosition: 1 });
    expect(answer.messages).toMatchObject([{ messageId, body: "which port?", attempt: 1 }]);
    expect(await state(messageId)).toBe("in_flight");
    await confirm();
    expect(await state(messageId)).toBe("acked");
    expect(await send("one more"), "the call is over in the same moment").toMatchObject({ willBeSeen: "unknown" });
    expect(await world.as("a").releaseStick({ ...token, handoff: HANDOFF })).toMatchObject({ reservedFor: "b" });
  });

  it("comes again when the answer did not get out", async () => {
    const { send, state, wait } = await heldRoom();
    const ended = await begun(wait);
    const { messageId } = await send("which port?");
    await (await ended()).giveBack();
    expect(await state(messageId)).toBe("pending");
    const again = await begun(wait);
    expect((await again()).answer).toMatchObject({ messages: [{ messageId, attempt: 2 }] });
  });

  it("comes with a turn that is granted before the waiter has looked at its mail", async () => {
    const { token, world, send, wait } = await heldRoom();
    const ended = await begun(wait);
    const [{ willBeSeen }] = await Promise.all([
      send("one more thing"),
      world.as("a").releaseStick({ ...token, handoff: HANDOFF }),
    ]);
    expect(willBeSeen).toBe("now");
    const { answer } = await ended();
    expect(answer.messages).toMatchObject([{ body: "one more thing" }]);
  });

  it("comes with the answer of a wait whose time is over", async () => {
    const { world, send, wait } = await heldRoom();
    const ended = await begun(wait, { maxWaitMs: 1000 });
    world.nowMs += 970;
    expect(await send("in the last moment")).toMatchObject({ willBeSeen: "now" });
    world.nowMs += 30;
    expect((await ended()).answer).toMatchObject({ status: "not_yet", messages: [{ body: "in the last moment" }] });
  });
});

/** `one` is in flight through another door of `b`, and `two` waits behind it. */
async function heldBack() {
  const room = await heldRoom();
  await room.send("one");
  const taken = accepted(await room.world.as("b").takeMessages({}));
  await room.send("two");
  return { ...room, taken };
}

describe("mail that is held back behind older mail of its sender", () => {
  it("ends no wait, and is counted", async () => {
    const { world, send, wait } = await heldBack();
    const ended = await begun(wait, { maxWaitMs: 1000 });
    world.nowMs += 500;
    expect(await send("three")).toMatchObject({ willBeSeen: "unknown" });
    world.nowMs += 500;
    expect((await ended()).answer).toMatchObject({ status: "not_yet", unread: 3 });
  });

  it("ends the wait and comes with its answer once it can be read, also after a wait that it did not end", async () => {
    const { world, wait, taken } = await heldBack();
    const before = await begun(wait, { maxWaitMs: 1000 });
    world.nowMs += 1000;
    expect((await before()).answer).not.toHaveProperty("messages");
    const ended = await begun(wait);
    await taken.confirm();
    // A ring stands for the time until the next look.
    await world.deps.bell.ring([asAgentId("b")]);
    expect((await ended()).answer).toMatchObject({ status: "not_yet", messages: [{ body: "two" }], unread: 0 });
  });

  it("keeps no other sender's mail from ending the wait", async () => {
    const { world, roomId, wait } = await heldBack();
    accepted(await world.as("c").joinPath({ contextPath: world.directory("project") }));
    const ended = await begun(wait);
    accepted(await world.as("c").sendMessage({ roomId, to: "b", body: "from another" }));
    expect((await ended()).answer).toMatchObject({ messages: [{ body: "from another" }], unread: 2 });
  });
});

it("mail that comes while a wait tells of older mail is told of by the next one", async () => {
  const { world, roomId, send } = await heldRoom();
  await send("one");
  const store = storeOnClock(world.deps.store, world.deps.clock);
  let looks = 0;
  const busy: Store = {
    ...store,
    readMailbox: async (...words) => {
      const seen = await store.readMailbox(...words);
      looks += 1;
      // The first look finds the mail, and the second counts it for the answer.
      if (looks === 2) await send("two");
      return seen;
    },
  };
  const told = accepted(await world.as("b", { store: busy }).waitForTurn({ roomId, maxWaitMs: 60_000 }));
  expect(told).toMatchObject({ status: "not_yet", unread: 1 });
  expect(await world.as("b").waitForTurn({ roomId, maxWaitMs: 60_000 })).toMatchObject({ unread: 2 });
});

describe("mail is not taken, and its senders are not told that it is seen now", () => {
  it("by a wait that mail does not end", async () => {
    const { token, world, send, wait } = await heldRoom();
    const ended = await begun(wait, { wakeOnMessage: false });
    expect(await send("one")).toMatchObject({ willBeSeen: "unknown" });
    await world.as("a").releaseStick({ ...token, handoff: HANDOFF });
    const { answer } = await ended();
    expect(answer).toMatchObject({ status: "your_turn" });
    expect(answer).not.toHaveProperty("messages");
  });

  it("by a call of a subagent: mail ends its wait, and waits for its agent", async () => {
    const { send, state, wait, world } = await heldRoom();
    const facts = { idSource: "explicit", harnessVersion: null, cwd: null, transcriptPath: null } as const;
    const subagent = { ...agentCalled("b"), facts: { ...facts, isSubagent: true } as const };
    const ended = await begun((more) => wait(more, world.deps, subagent));
    const { messageId, willBeSeen } = await send("one");
    expect(willBeSeen).toBe("unknown");
    const { answer } = await ended();
    expect(answer).toMatchObject({ status: "not_yet", unread: 1 });
    expect(answer).not.toHaveProperty("messages");
    expect(await state(messageId)).toBe("pending");
  });

  it("by a wait of a program that gets only the answer about its turn", async () => {
    const { roomId, world, send } = await heldRoom();
    const looked = new Promise<void>((waits) => {
      void world.as("b").waitForTurn({ roomId, maxWaitMs: 60_000, onLook: () => waits() });
    });
    await looked;
    expect(await send("one")).toMatchObject({ willBeSeen: "unknown" });
  });

  it("by a wait that is cancelled", async () => {
    const { send, state, wait } = await heldRoom();
    const cancel = new AbortController();
    const ended = await begun(wait, { signal: cancel.signal });
    cancel.abort();
    const [{ messageId }] = await Promise.all([send("one"), ended()]);
    expect(await state(messageId)).toBe("pending");
  });

  it("by a look that waits for nothing", async () => {
    const { send, state, wait, token, world } = await heldRoom();
    const { messageId } = await send("one");
    expect(accepted(await wait({ maxWaitMs: 0 })).answer).toMatchObject({ status: "not_yet", unread: 1 });
    await world.as("a").releaseStick({ ...token, handoff: HANDOFF });
    expect(accepted(await wait()).answer).toMatchObject({ status: "your_turn" });
    expect(await state(messageId)).toBe("pending");
  });

  it("by a waiter whose process is suspended", async () => {
    const { world, send, wait } = await heldRoom();
    await begun(wait);
    world.suspended.add("test");
    expect(await send("one")).toMatchObject({ willBeSeen: "unknown" });
  });
});

function cutOff(): never {
  throw new Fault("store_unreachable", "the line is cut", { next: "Wait.", retry: true });
}

it("a store that fails after the turn was granted costs the mail of that answer, and not the turn", async () => {
  const { world, token, wait, roomId } = await heldRoom();
  const store = new Proxy(world.deps.store, {
    get: (target, key) => (key === "changeMailbox" ? cutOff : Reflect.get(target, key).bind(target)),
  });
  const ended = await begun((more) => wait(more, { ...world.deps, store }));
  await world.as("a").releaseStick({ ...token, handoff: HANDOFF });
  expect((await ended()).answer).toMatchObject({ status: "your_turn" });
  const snapshot = await world.deps.store.readRoom(asRoomId(roomId));
  expect(snapshot?.room.state.owner).toBe(asAgentId("b"));
});
