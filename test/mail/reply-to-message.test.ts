/** Whatever a reader is shown can be answered with the message's id alone, or the refusal says why it cannot. */
import { describe, expect, it } from "vitest";
import { asAgentId } from "../../src/core/ids.ts";
import { enqueue } from "../../src/mail/mailbox-protocol/enqueue.ts";
import { roomToSendFrom } from "../../src/mail/room-to-send-from.ts";
import { makeRepository } from "../support/git-repository.ts";
import { agentCalled } from "../support/service-ports.ts";
import { accepted, ServiceWorld } from "../support/service-world.ts";

/** `b` works in two projects, and `a` has written to it in the first. */
async function twoProjects() {
  const world = new ServiceWorld();
  const [first, second] = ["first", "second"].map((name) => world.directory(name)) as [string, string];
  for (const project of [first, second]) makeRepository(project);
  const a = world.as("a:1");
  const b = world.as("b:1");
  const { roomId } = accepted(await a.joinPath({ contextPath: first }));
  accepted(await b.joinPath({ contextPath: first }));
  const other = accepted(await b.joinPath({ contextPath: second })).roomId;
  const { messageId } = accepted(await a.sendMessage({ roomId, to: "b:1", body: "which port?" }));
  const from = (contextPath: string, answers = messageId) =>
    roomToSendFrom(
      world.deps,
      agentCalled("b:1"),
      { wanted: { roomId: undefined, contextPath }, isAbout: null },
      { body: "8080", answers },
    );
  return { world, a, b, roomId, other, first, second, messageId, from };
}

const bodiesFor = async (agent: ReturnType<ServiceWorld["as"]>) =>
  accepted(await agent.takeMessages({})).answer.messages.map(({ body }) => body);

describe("an answer goes out from the room of what it answers", () => {
  it("also where its author is in another project", async () => {
    const { a, b, roomId, second, messageId, from } = await twoProjects();
    expect(accepted(await from(second)).roomId).toBe(roomId);
    accepted(await b.replyToMessage({ messageId, body: "8080" }));
    expect(await bodiesFor(a)).toEqual(["8080"]);
  });

  it("and makes no room in a directory that has none", async () => {
    const { world, roomId, from } = await twoProjects();
    expect(accepted(await from(world.directory("first/below"))).roomId).toBe(roomId);
    const third = world.directory("third");
    expect(accepted(await from(third)).roomId).toBe(roomId);
    expect((await world.deps.store.readRooms({})).rooms).toHaveLength(2);
  });

  it("but from one's own room where one is no member of the other, in the same project", async () => {
    const { world, b, first, from } = await twoProjects();
    const below = world.directory("first/below");
    const { roomId } = accepted(await world.as("c:1").joinPath({ contextPath: below, forceNew: true }));
    const { messageId } = accepted(await world.as("c:1").sendMessage({ roomId, to: "b:1", body: "hello" }));
    const home = accepted(await b.joinPath({ contextPath: first })).roomId;
    expect(accepted(await from(first, messageId)).roomId).toBe(home);
  });

  it("unless a room is named; one of another project is refused with the way out", async () => {
    const { b, other, messageId } = await twoProjects();
    const refused = await b.replyToMessage({ roomId: other, messageId, body: "8080" });
    expect(refused).toMatchObject({
      error: "cross_project",
      next: expect.arrayContaining([expect.stringMatching(/Leave the room out/), { do: "reply_to_message" }]),
    });
  });
});

describe("an answer goes to the mailbox of the sender it answers", () => {
  it("that writes by the mailbox protocol, even if another agent has its id as a handle", async () => {
    const { world, b, roomId } = await twoProjects();
    accepted(await world.as("c:1").joinPath({ contextPath: world.directory("first") }));
    accepted(await world.as("c:1").nameMyself({ roomId, handle: "boss" }));
    const input = { msgId: "1", from: asAgentId("boss"), to: asAgentId("b:1"), payload: "report", createdAtSecs: null };
    accepted(await enqueue(world.deps, roomId, input));
    const { messages } = accepted(await b.takeMessages({ from: "boss" })).answer;
    const { messageId } = messages[0] as { messageId: string };
    const sent = accepted(await b.replyToMessage({ messageId, body: "done" }));
    expect(sent.deliveries).toMatchObject([{ to: "boss", state: "pending" }]);
    expect(await bodiesFor(world.as("c:1"))).toEqual([]);
    const said = { roomId, to: "boss", body: "all of it", replyTo: messageId };
    expect(accepted(await b.sendMessage(said)).deliveries).toMatchObject([{ to: "boss" }]);
  });

  it("that has left the room, and reads it when it is back", async () => {
    const { a, b, roomId, first, messageId } = await twoProjects();
    accepted(await a.leaveRoom({ roomId }));
    expect(accepted(await b.replyToMessage({ messageId, body: "8080" })).deliveries).toMatchObject([
      { to: "a:1", willBeSeen: "unknown" },
    ]);
    accepted(await a.joinPath({ contextPath: first }));
    expect(await bodiesFor(a)).toEqual(["8080"]);
  });

  it("but not of one that a person has sent away", async () => {
    const { world, b, roomId, first, messageId } = await twoProjects();
    const person = world.as("human:1", { person: true });
    accepted(await person.joinPath({ contextPath: first }));
    accepted(await person.kickMember({ roomId, targetAgentId: "a:1", force: true, reason: "loops" }));
    expect(await b.replyToMessage({ messageId, body: "8080" })).toMatchObject({
      error: "unknown_recipient",
      next: expect.not.stringMatching(/candidates|join first/),
    });
  });
});

it("a message to its own sender needs no answer", async () => {
  const { world, b, roomId } = await twoProjects();
  const own = asAgentId("b:1");
  accepted(await enqueue(world.deps, roomId, { msgId: "1", from: own, to: own, payload: "note", createdAtSecs: null }));
  const { messages } = accepted(await b.takeMessages({ from: "b:1" })).answer;
  const refused = await b.replyToMessage({ messageId: messages[0]?.messageId as string, body: "done" });
  expect(refused).toMatchObject({ error: "self_send", next: expect.not.stringMatching(/Name another/) });
});

it("a room that was closed is named with the way to reopen it, and a lost one with another", async () => {
  const { world, b, roomId, messageId } = await twoProjects();
  accepted(await world.as("human:1", { person: true }).closeRoom({ roomId, operatorRequested: true }));
  expect(await b.replyToMessage({ messageId, body: "8080" })).toMatchObject({ error: "room_closed" });
  expect(await b.replyToMessage({ messageId: "never", body: "8080" })).toMatchObject({ error: "message_not_found" });
});

it("an answer ends what was unread, and only that: earlier mail of the same sender still comes", async () => {
  const world = new ServiceWorld();
  const contextPath = world.directory("tree");
  const [a, b] = [world.as("a:1"), world.as("b:1")];
  const { roomId } = accepted(await a.joinPath({ contextPath }));
  accepted(await b.joinPath({ contextPath }));
  accepted(await a.sendMessage({ roomId, to: "b:1", body: "first" }));
  const { messageId } = accepted(await a.sendMessage({ roomId, to: "b:1", body: "which port?" }));
  accepted(await b.replyToMessage({ messageId, body: "8080" }));
  const { deliveries } = accepted(await a.messageStatus({ messageId }));
  expect(deliveries).toMatchObject([{ state: "acked", attempts: [{ transport: "reply", outcome: "acked" }] }]);
  expect(await bodiesFor(b)).toEqual(["first"]);
});
