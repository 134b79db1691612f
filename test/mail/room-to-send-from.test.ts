/** A message that is refused leaves nothing behind, also where there was nothing before. */
import { describe, expect, it } from "vitest";
import { asEventId } from "../../src/core/ids.ts";
import { type Outgoing, roomToSendFrom } from "../../src/mail/room-to-send-from.ts";
import { makeRepository } from "../support/git-repository.ts";
import { agentCalled } from "../support/service-ports.ts";
import { accepted, ServiceWorld } from "../support/service-world.ts";

/** `b` works in a project and `s` in another one; `a` comes from a directory of the first that has no room. */
async function freshDirectory() {
  const world = new ServiceWorld({ messageMaxBytes: 256 });
  for (const project of ["tree", "strange"]) makeRepository(world.directory(project));
  const below = world.directory("tree/below");
  const { roomId } = accepted(await world.as("b").joinPath({ contextPath: below, forceNew: true }));
  accepted(await world.as("s").joinPath({ contextPath: world.directory("strange") }));
  const contextPath = world.directory("tree/beside");
  const from = (message: Outgoing, agent = "a") =>
    roomToSendFrom(
      world.deps,
      agentCalled(agent),
      { wanted: { roomId: undefined, contextPath }, isAbout: null },
      message,
    );
  return { world, from, roomId };
}

async function roomsOf(world: ServiceWorld) {
  return (await world.deps.store.readRooms({})).rooms.map(({ path }) => path.slice(world.root.length)).toSorted();
}

describe("no room is made for a message", () => {
  it.each<[string, Outgoing, string]>([
    ["to nobody", { to: "nobody", body: "hi" }, "unknown_recipient"],
    ["to another project", { to: "s", body: "hi" }, "cross_project"],
    ["that says nothing", { to: "b", body: "" }, "invalid_body"],
    ["that is too long", { to: "b", body: "x".repeat(300) }, "message_too_large"],
    ["that answers what was never said", { body: "hi", answers: asEventId("never") }, "message_not_found"],
  ])("%s", async (_, message, error) => {
    const { world, from } = await freshDirectory();
    const before = await world.deps.store.changeMark();
    expect(await from(message)).toMatchObject({ error });
    expect(await world.deps.store.changeMark()).toBe(before);
    expect(await roomsOf(world)).toEqual(["/strange", "/tree/below"]);
  });

  it("that answers a message to another agent", async () => {
    const { world, from, roomId } = await freshDirectory();
    accepted(await world.as("c").joinPath({ contextPath: world.directory("tree/below") }));
    const { messageId } = accepted(await world.as("b").sendMessage({ roomId, to: "c", body: "for c" }));
    expect(await from({ body: "hi", answers: messageId })).toMatchObject({ error: "not_your_message" });
    expect(await roomsOf(world)).toEqual(["/strange", "/tree/below"]);
  });
});

describe("a room is made for a message", () => {
  it("that can be sent, and its sender is a member", async () => {
    const { world, from } = await freshDirectory();
    const { roomId } = accepted(await from({ to: "b", body: "hi" }));
    expect(await roomsOf(world)).toEqual(["/strange", "/tree", "/tree/below"]);
    const sent = accepted(await world.as("a").sendMessage({ roomId, to: "b", body: "hi" }));
    expect(sent.deliveries).toMatchObject([{ to: "b" }]);
  });

  it("that answers the mail of one who has left the room of that mail", async () => {
    const { world, from, roomId } = await freshDirectory();
    accepted(await world.as("c").joinPath({ contextPath: world.directory("tree/below") }));
    const { messageId } = accepted(await world.as("b").sendMessage({ roomId, to: "c", body: "for c" }));
    accepted(await world.as("c").leaveRoom({ roomId }));
    expect(await from({ body: "hi", answers: messageId }, "c")).not.toHaveProperty("error");
    expect(await roomsOf(world)).toEqual(["/strange", "/tree", "/tree/below"]);
  });
});
