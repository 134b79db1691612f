import { expect, it } from "vitest";
import { LIMITS } from "../../src/core/limits.ts";
import { asReceiver } from "../../src/mail/as-receiver.ts";
import { mailboxCaller } from "../../src/mail/mailbox-protocol/caller.ts";
import { countUnread } from "../../src/mail/mailbox-reads.ts";
import { agentCalled } from "../support/service-ports.ts";
import { accepted, ServiceWorld } from "../support/service-world.ts";

async function roomOfThree(world: ServiceWorld) {
  const contextPath = world.directory("tree");
  for (const agent of ["a:1", "b:2", "c:3"]) accepted(await world.as(agent).joinPath({ contextPath }));
  const { roomId } = accepted(await world.as("a:1").joinPath({ contextPath }));
  const reader = mailboxCaller(world.as("b:2").agentId);
  const seen = async (from: string) => {
    const sent = accepted(await world.as(from).sendMessage({ roomId, to: "b:2", body: "hello" }));
    return sent.deliveries[0]?.willBeSeen;
  };
  return { reader, seen };
}

it("a receiver of one sender's mail is receiving for that sender alone", async () => {
  const world = new ServiceWorld();
  const { reader, seen } = await roomOfThree(world);
  await asReceiver(world.deps, reader, { from: "a:1" }, async () => {
    expect([await seen("a:1"), await seen("c:3")]).toEqual(["now", "unknown"]);
  });
  await asReceiver(world.deps, reader, {}, async () => {
    expect([await seen("a:1"), await seen("c:3")]).toEqual(["now", "now"]);
  });
  expect(await seen("a:1")).toBe("unknown");
});

it("a program that receives mail says so for as long as it does, and no longer when it fails", async () => {
  const world = new ServiceWorld();
  const { seen } = await roomOfThree(world);
  const program = world.as("b:2");
  expect(await program.asReceiver(async () => [await seen("a:1"), await seen("c:3")])).toEqual(["now", "now"]);
  const ofOne = program.asReceiver(async () => [await seen("a:1"), await seen("c:3")], { from: "a:1" });
  expect(await ofOne).toEqual(["now", "unknown"]);
  const ofNobody = program.asReceiver(() => Promise.reject(new Error("it was begun")), { from: "" });
  expect(await ofNobody).toMatchObject({ error: "invalid_input", facts: { field: "from" } });
  const failing = program.asReceiver(() => Promise.reject(new Error("the reader is broken")));
  await expect(failing).rejects.toThrow("the reader is broken");
  expect(await seen("a:1")).toBe("unknown");
});

it("only the mail of the sender that is asked for is counted", async () => {
  const world = new ServiceWorld({ sendRatePerMin: 0 });
  const { reader, seen } = await roomOfThree(world);
  for (let count = 0; count < LIMITS.deliveriesPerPage; count += 1) await seen("a:1");
  for (let count = 0; count < 2; count += 1) await seen("c:3");
  expect(await countUnread(world.deps, reader, "c:3")).toBe(2);
  expect(await countUnread(world.deps, reader, null)).toBe(LIMITS.deliveriesPerPage + 2);
});

it("a receiver that stays counts as one after a day, and one that says nothing does not", async () => {
  const world = new ServiceWorld({ presenceTtlMs: 10 * LIMITS.receiverMs });
  const { reader, seen } = await roomOfThree(world);
  await asReceiver(world.deps, reader, {}, async (stay) => {
    for (let days = 0; days < 3; days += 0.6) {
      world.nowMs += 0.6 * LIMITS.receiverMs;
      await stay();
    }
    expect(await seen("a:1")).toBe("now");
    const before = await world.deps.store.changeMark();
    await stay();
    expect(await world.deps.store.changeMark()).toBe(before);
    world.nowMs += LIMITS.receiverMs;
    expect(await seen("a:1")).toBe("unknown");
  });
});

it("a receiver whose harness is gone does not count, takes nothing, and ends without mail", async () => {
  const world = new ServiceWorld();
  const { seen } = await roomOfThree(world);
  const harness = agentCalled("b:2");
  const received = asReceiver(world.deps, harness, {}, async () => {
    expect(await seen("a:1")).toBe("now");
    accepted(await world.as("b:2").takeMessages({}));
    const receiving = world.as("b:2").receiveMessages({ maxWaitMs: 600_000 });
    world.gone.add("b:2");
    expect(await receiving).toMatchObject({ error: "session_ended", facts: { agent_id: "b:2" } });
    return seen("a:1");
  });
  expect(await received).toBe("unknown");
  expect(await world.as("b:2").receiveMessages({})).toMatchObject({ error: "session_ended" });
  expect(await countUnread(world.deps, harness, null)).toBe(2);
});

it("a receiver that is suspended, or whose harness is, does not count until it goes on", async () => {
  const world = new ServiceWorld();
  const { seen } = await roomOfThree(world);
  await asReceiver(world.deps, agentCalled("b:2"), {}, async () => {
    for (const stopped of ["test", "b:2"]) {
      world.suspended.add(stopped);
      expect(await seen("a:1")).toBe("unknown");
      world.suspended.delete(stopped);
      expect(await seen("a:1")).toBe("now");
    }
  });
});
