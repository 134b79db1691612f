/** A call reads the room no more often than it has to: the service's own looks, and one to find out which room is meant. */
import { expect, it } from "vitest";
import type { Store } from "../../../src/engine/ports/store.ts";
import { askPeer } from "../../../src/mail/ask-peer.ts";
import { waitForTurn } from "../../../src/stick/wait-with-mail.ts";
import { ToolCall } from "../../../src/surfaces/mcp/call.ts";
import { LeaseKeeper } from "../../../src/surfaces/mcp/lease-keeper.ts";
import { LossTeller } from "../../../src/surfaces/mcp/loss-teller.ts";
import { type Tool, toolOf } from "../../../src/surfaces/mcp/tool.ts";
import { inProcessPorts } from "../../mcp/support/in-process.ts";
import { accepted, ServiceWorld } from "../../support/service-world.ts";

function callOn(world: ServiceWorld, store: Store): ToolCall {
  const ports = inProcessPorts(world);
  return new ToolCall({
    ports,
    deps: async () => ({ ...world.deps, store }),
    evidence: { clientName: null, clientVersion: null, meta: {} },
    keeper: new LeaseKeeper(),
    waker: null,
    served: { meet: async () => undefined },
    flagKeepers: null,
    losses: new LossTeller(ports.memory),
    cursors: new Map(),
    signal: new AbortController().signal,
    progress: { tell: () => undefined, end: () => undefined },
    afterAnswer: () => undefined,
  });
}

/** How often the room is read by id while `work` runs. */
async function readsOf(store: Store, work: (counted: Store) => Promise<unknown>): Promise<number> {
  let reads = 0;
  const counted = new Proxy(store, {
    get: (target, key) => {
      if (key === "readRoom") reads += 1;
      const value: unknown = Reflect.get(target, key);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  await work(counted);
  return reads;
}

it.each<[Tool, object, (world: ServiceWorld, roomId: string, store: Store) => Promise<unknown>]>([
  [
    toolOf(askPeer),
    { to: "b:2", body: "which port?", timeout_ms: 0 },
    (world, roomId, store) =>
      world.as("a:1", { store }).askPeer({ roomId, to: "b:2", body: "which port?", timeoutMs: 0 }),
  ],
  [
    toolOf(waitForTurn),
    { max_wait_ms: 0 },
    (world, roomId, store) => world.as("a:1", { store }).waitForTurn({ roomId, maxWaitMs: 0 }),
  ],
])("$name", async (tool, input, serve) => {
  const world = new ServiceWorld();
  const contextPath = world.directory("project");
  const { roomId } = accepted(await world.as("a:1").joinPath({ contextPath }));
  accepted(await world.as("b:2").joinPath({ contextPath }));
  accepted(await world.as("b:2").waitForTurn({ roomId, maxWaitMs: 0 }));
  const own = await readsOf(world.deps.store, (store) => serve(world, roomId, store));
  const asTool = await readsOf(world.deps.store, (store) => tool.run(callOn(world, store), { ...input }));
  // By a directory the room is found in a list, which is no read by its id.
  expect(asTool).toBe(own);
});
