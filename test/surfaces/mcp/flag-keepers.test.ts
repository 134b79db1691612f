/** On a shared store, a server raises its session's flag for mail whose sender cannot. */
import { expect, it, onTestFinished } from "vitest";
import type { Caller } from "../../../src/session/rules/decision-input.ts";
import { FlagKeepers } from "../../../src/surfaces/mcp/flag-keepers.ts";
import { agentCalled } from "../../support/service-ports.ts";
import { accepted, ServiceWorld } from "../../support/service-world.ts";

async function roomOfTwo() {
  const world = new ServiceWorld();
  const contextPath = world.directory("tree");
  const [a, b] = [world.as("a:1"), world.as("b:2")];
  const { roomId } = accepted(await a.joinPath({ contextPath }));
  accepted(await b.joinPath({ contextPath }));
  const raised: string[] = [];
  const raise = (ids: readonly string[]) => {
    raised.push(...ids);
    return new Set(ids);
  };
  const deps = { ...world.deps, flags: { raise, look: () => null, lower: () => {} } };
  const keepers = new FlagKeepers();
  onTestFinished(() => keepers.end());
  const send = async (body: string) => accepted(await a.sendMessage({ roomId, to: "b:2", body }));
  return { deps, keepers, raised, send };
}

const caller = (sessionId: string | null): Caller => ({ ...agentCalled("b:2"), sessionId });

it("for mail that waited already, and for each that comes", async () => {
  const { deps, keepers, raised, send } = await roomOfTwo();
  await send("before");
  keepers.meet(deps, caller("session-b"));
  await expect.poll(() => raised).toEqual(["session-b"]);
  keepers.meet(deps, caller("session-b"));
  await send("after");
  await expect.poll(() => raised).toEqual(["session-b", "session-b"]);
  await keepers.end();
  await send("too late");
  expect(raised).toHaveLength(2);
});

it("not for a session whose id nobody knows", async () => {
  const { deps, keepers, raised, send } = await roomOfTwo();
  await send("before");
  keepers.meet(deps, caller(null));
  await keepers.end();
  expect(raised).toEqual([]);
});
