import { expect, it } from "vitest";
import { asAgentId } from "../../../src/core/ids.ts";
import { refuse } from "../../../src/core/refusal.ts";
import type { Deps } from "../../../src/engine/deps.ts";
import type { McpPorts } from "../../../src/surfaces/mcp/call.ts";
import { OwnWaker } from "../../../src/surfaces/mcp/own-waker.ts";
import { ServiceWorld } from "../../support/service-world.ts";

/** How often a server looks who its session is, before it writes down that it can wake that session. */
async function looksOf(isUpToDate: boolean): Promise<number> {
  const world = new ServiceWorld();
  let looks = 0;
  const ports = {
    directory: world.directory("project"),
    identify: async () => {
      looks += 1;
      return { identity: refuse("agent_id_required", "Nobody knows.", "Say who you are.") };
    },
  } as unknown as McpPorts;
  const store = new Proxy(world.deps.store, {
    get: (target, key) => (key === "isUpToDate" ? () => isUpToDate : Reflect.get(target, key)),
  });
  const deps: Deps = {
    ...world.deps,
    store,
    waking: { mode: "auto" } as unknown as NonNullable<Deps["waking"]>,
  };
  const waker = new OwnWaker(ports, { harness: "claude", push: async () => "sent" });
  await waker.start(async () => deps);
  waker.meet(deps, asAgentId("claude:1"));
  await waker.end();
  return looks;
}

it("a server that can wake its session writes nothing into a store of an older build", async () => {
  expect(await looksOf(false)).toBe(0);
  expect(await looksOf(true)).toBeGreaterThan(0);
});
