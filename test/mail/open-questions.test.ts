import { expect, it } from "vitest";
import { openQuestions } from "../../src/mail/open-questions.ts";
import { accepted, ServiceWorld } from "../support/service-world.ts";

/** Two agents have asked `c`: `a` twice and `b` once in one room, `b` once in another. */
async function asked() {
  const world = new ServiceWorld();
  const [first, second] = ["first", "second"].map((name) => world.directory(name)) as [string, string];
  const ask = async (agent: string, contextPath: string, body: string) => {
    const { roomId } = accepted(await world.as(agent).joinPath({ contextPath }));
    accepted(await world.as(agent).askPeer({ roomId, to: "c:3", body, timeoutMs: 1 }));
  };
  for (const contextPath of [first, second]) accepted(await world.as("c:3").joinPath({ contextPath }));
  await ask("a:1", first, "one?");
  await ask("a:1", first, "two?");
  await ask("b:2", first, "three?");
  await ask("b:2", second, "four?");
  return world;
}

it("each room is read once, however many questions were asked in it", async () => {
  const world = await asked();
  const read: string[] = [];
  const { store } = world.deps;
  const counting = {
    ...store,
    readRoom: (roomId: string) => {
      read.push(roomId);
      return store.readRoom(roomId as never);
    },
  };
  const questions = await openQuestions({ ...world.deps, store: counting }, world.callerOf("c:3"));
  expect(questions.map(({ body, from }) => [body, from])).toEqual([
    ["one?", "a:1"],
    ["two?", "a:1"],
    ["three?", "b:2"],
    ["four?", "b:2"],
  ]);
  expect(read).toHaveLength(2);
  expect(new Set(read).size).toBe(2);
});

it("an asker is gone where its process is, and where it has left, each in the room of its question", async () => {
  const world = await asked();
  world.gone.add("a:1");
  world.nowMs += 60_000;
  const second = accepted(await world.as("b:2").joinPath({ contextPath: world.directory("second") }));
  accepted(await world.as("b:2").leaveRoom({ roomId: second.roomId }));
  const questions = await openQuestions(world.deps, world.callerOf("c:3"));
  expect(questions.map(({ body, isAskerGone }) => [body, isAskerGone])).toEqual([
    ["one?", true],
    ["two?", true],
    ["three?", false],
    ["four?", true],
  ]);
});
