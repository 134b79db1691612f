import { expect, it } from "vitest";
import { countUnread } from "../../src/mail/mailbox-reads.ts";
import { agentCalled } from "../support/service-ports.ts";
import { accepted, ServiceWorld } from "../support/service-world.ts";

it("what is left after a look does not count what time has ended, though nobody has written that down", async () => {
  const world = new ServiceWorld({ messageTtlMs: 10_000 });
  const contextPath = world.directory("tree");
  const { roomId } = accepted(await world.as("a").joinPath({ contextPath }));
  accepted(await world.as("b").joinPath({ contextPath }));
  const send = async (body: string) => accepted(await world.as("a").sendMessage({ roomId, to: "b", body }));
  for (const body of ["old", "older"]) await send(body);
  world.nowMs += 6000;
  for (const body of ["young", "younger"]) await send(body);
  expect(accepted(await world.as("b").peekMessages({ limit: 1 }))).toMatchObject({ count: 1, remaining: 3 });
  world.nowMs += 6000;
  const mark = await world.deps.store.changeMark();
  expect(accepted(await world.as("b").peekMessages({ limit: 1 }))).toMatchObject({ count: 1, remaining: 1 });
  expect(await countUnread(world.deps, agentCalled("b"), null)).toBe(2);
  world.nowMs += 6000;
  expect(accepted(await world.as("b").peekMessages({}))).toMatchObject({ count: 0, remaining: 0 });
  expect(await world.deps.store.changeMark()).toBe(mark);
});
