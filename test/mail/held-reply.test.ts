import { expect, it } from "vitest";
import { asAgentId } from "../../src/core/ids.ts";
import { mailboxCaller } from "../../src/mail/mailbox-protocol/caller.ts";
import { postAndWake } from "../../src/mail/post-message.ts";
import { createTalkingStick } from "../../src/surfaces/library/talking-stick.ts";
import { processOf } from "../support/room-world.ts";
import { agentCalled } from "../support/service-ports.ts";
import { accepted, ServiceWorld } from "../support/service-world.ts";
import { sleeping } from "../support/sleeping.ts";

/** claude:1 asks codex:1 by a process of its own, for a minute, and the reply is there; gemini:1 may have said something. */
async function heldReply(world: ServiceWorld, talk: readonly string[] = []): Promise<string> {
  const contextPath = world.directory("tree");
  for (const agent of ["claude:1", "codex:1", "gemini:1"]) accepted(await world.as(agent).joinPath({ contextPath }));
  const { roomId } = accepted(await world.as("claude:1").joinPath({ contextPath }));
  const ask = { kind: "ask", ask: { forMs: 60_000, callerProcess: processOf("asker") } };
  const question = { to: "codex:1", body: "which port?" };
  const asked = accepted(await postAndWake(world.deps, mailboxCaller(asAgentId("claude:1")), roomId, question, ask));
  for (const body of talk) accepted(await world.as("gemini:1").sendMessage({ roomId, to: "claude:1", body }));
  accepted(await world.as("codex:1").replyToMessage({ roomId, messageId: asked.messageId, body: "8080" }));
  return roomId;
}

it("nothing is taken twice when the reply to a dead process's question turns out to be free", async () => {
  const world = new ServiceWorld();
  await heldReply(world, ["other talk"]);
  world.gone.add("asker");
  const taken = accepted(await world.as("claude:1").takeMessages({}));
  expect(taken.answer.messages.map(({ body, attempt }) => [body, attempt])).toEqual([
    ["other talk", 1],
    ["8080", 1],
  ]);
});

/** claude:1 in a world in which the asker dies after ten seconds, of which nothing in the store tells. */
async function whileAskerDies() {
  const world = new ServiceWorld();
  const roomId = await heldReply(world);
  const startMs = world.nowMs;
  // As on a database, where a look that finds nothing leaves no trace.
  Object.assign(world.deps.store, { changeMark: async () => "the same" });
  const verdict = ({ startTicks }: { readonly startTicks: string }) =>
    startTicks === "asker" && world.nowMs >= startMs + 10_000 ? ("gone" as const) : ("alive" as const);
  const deps = { ...sleeping(world), probe: { ...world.deps.probe, verdict } };
  return { roomId, reader: createTalkingStick(deps, agentCalled("claude:1")), passedMs: () => world.nowMs - startMs };
}

it("a waiting reader gets the reply soon after the process that asked has died", async () => {
  const { reader, passedMs } = await whileAskerDies();
  const { answer } = accepted(await reader.receiveMessages({ maxWaitMs: 300_000 }));
  expect(answer.messages).toMatchObject([{ body: "8080", attempt: 1 }]);
  expect(passedMs()).toBeGreaterThanOrEqual(10_000);
  expect(passedMs()).toBeLessThanOrEqual(12_000);
});

it("an agent that waits for its turn is told of the reply soon after the process that asked has died", async () => {
  const { roomId, reader, passedMs } = await whileAskerDies();
  accepted(await reader.waitForTurn({ roomId, maxWaitMs: 0, claim: false }));
  const answer = await reader.waitForTurn({ roomId, maxWaitMs: 300_000, claim: false });
  expect(answer).toMatchObject({ status: "not_yet", unread: 1 });
  expect(passedMs()).toBeGreaterThanOrEqual(10_000);
  expect(passedMs()).toBeLessThanOrEqual(12_000);
});
