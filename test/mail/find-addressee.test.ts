/** An agent of another project is refused as such, by whatever name it is called. */
import { expect, it } from "vitest";
import { newSession } from "../../src/session/rules/session.ts";
import { createTalkingStick } from "../../src/surfaces/library/talking-stick.ts";
import { makeRepository } from "../support/git-repository.ts";
import { agentCalled } from "../support/service-ports.ts";
import { accepted, ServiceWorld } from "../support/service-world.ts";

async function twoProjects() {
  const world = new ServiceWorld();
  for (const project of ["here", "there"]) makeRepository(world.directory(project));
  const { roomId } = accepted(await world.as("a:1").joinPath({ contextPath: world.directory("here") }));
  const stranger = { ...agentCalled("s:1"), sessionId: "session-7", tmuxPane: "%3" };
  const there = createTalkingStick(world.deps, stranger);
  const joined = accepted(await there.joinPath({ contextPath: world.directory("there") }));
  accepted(await there.nameMyself({ roomId: joined.roomId, handle: "zoe" }));
  const deps = { ...world.deps, tmuxSessions: () => new Map([["%3", "night-shift"]]) };
  return { world, a: createTalkingStick(deps, agentCalled("a:1")), roomId, there, elsewhere: joined.roomId };
}

it.each(["s:1", "zoe", "session-7", "night-shift"])("%s works in another project", async (to) => {
  const { world, a, roomId } = await twoProjects();
  expect(await a.sendMessage({ roomId, to, body: "hello" })).toMatchObject({
    error: "cross_project",
    message: expect.stringContaining(world.directory("there")),
  });
});

it("a session of another project that is in no room still belongs to another project", async () => {
  const { world, a, roomId, there, elsewhere } = await twoProjects();
  const { rooms } = await world.deps.store.readRooms({});
  const project = rooms.find(({ id }) => id === elsewhere)?.project as string;
  await world.deps.store.changeSession({ agentId: there.agentId, project }, (known) => ({
    ...(known ?? newSession({ agentId: there.agentId, project }, "s")),
    sessionId: "session-7",
  }));
  accepted(await there.leaveRoom({ roomId: elsewhere }));
  expect(await a.sendMessage({ roomId, to: "session-7", body: "hello" })).toMatchObject({ error: "cross_project" });
});

it("a name that nobody has is unknown", async () => {
  const { a, roomId } = await twoProjects();
  expect(await a.sendMessage({ roomId, to: "session-8", body: "hello" })).toMatchObject({ error: "unknown_recipient" });
});
