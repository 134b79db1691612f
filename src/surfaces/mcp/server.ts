/** The MCP server: every tool listed once, for both eras of the protocol, and an orderly end. */
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { answerCall, type Shared } from "./answer-call.ts";
import { AnswerTransport } from "./answer-transport.ts";
import type { McpPorts } from "./call.ts";
import { FlagKeepers } from "./flag-keepers.ts";
import { LeaseKeeper } from "./lease-keeper.ts";
import { LossTeller } from "./loss-teller.ts";
import { openOnce } from "./open-once.ts";
import { OwnWaker } from "./own-waker.ts";
import type { ToolResult } from "./respond.ts";
import { ServedSessions } from "./served-sessions.ts";
import { listed } from "./tool.ts";
import { DEFAULT_TOOLS, instructionsFor, TOOLS } from "./tools.ts";

export interface ServeOptions {
  readonly tools: "all" | "core";
  readonly transport?: AnswerTransport;
}

export interface McpServing {
  /** Resolves when the connection is closed and every call that was still in progress has ended. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

export function serveMcp(ports: McpPorts, { tools, transport = new AnswerTransport() }: ServeOptions): McpServing {
  const store = openOnce(ports.openDeps);
  const byName = new Map((tools === "all" ? TOOLS : DEFAULT_TOOLS).map((tool) => [tool.name, tool]));
  const waker = ports.ownInbox ? new OwnWaker(ports, ports.ownInbox) : null;
  const flagKeepers = ports.isShared?.() ? new FlagKeepers() : null;
  const served = new ServedSessions(ports, waker, store.open);
  const losses = new LossTeller(ports.memory);
  const keeper = new LeaseKeeper();
  let attempts = 1;
  const nextAttempt = () => (attempts += 1);
  const memory = { keeper, waker, served, flagKeepers, losses, cursors: new Map<string, number>() };
  const letGo = async () => {
    if (!(await store.letGoOfMoved())) return;
    // Turns, cursors and listeners of the old store mean nothing in the new one.
    memory.keeper.forgetAll();
    losses.forgetAll();
    memory.cursors.clear();
    waker?.forget();
    served.forget();
  };
  const shared: Shared = { ports, deps: store.open, letGo, ...memory, nextAttempt, transport, tools: byName };
  const calls = new Set<Promise<unknown>>();
  let beginning: Promise<void> | null = null;
  const begin = () => {
    beginning ??= served.begin().then(() => waker?.start(store.open));
  };
  const connect = () => {
    // The client gets its answer first.
    setImmediate(begin);
    return createServer(shared, calls);
  };
  const handle = serveStdio(connect, { transport });
  const end = async (): Promise<void> => {
    await transport.closed;
    shared.keeper.forgetAll();
    await served.end();
    await waker?.end();
    await flagKeepers?.end();
    await Promise.allSettled(calls);
    await transport.quiet();
    await store.close();
  };
  return { ended: end(), close: () => handle.close() };
}

function createServer(shared: Shared, calls: Set<Promise<unknown>>): McpServer {
  const { version } = shared.ports;
  const server = new McpServer({ name: "talking-stick", version }, { instructions: instructionsFor(shared.tools) });
  server.server.registerCapabilities({ tools: {} });
  server.server.setRequestHandler("tools/list", () => ({ tools: [...shared.tools.values()].map(listed) }));
  server.server.setRequestHandler("tools/call", async ({ params }, context): Promise<ToolResult> => {
    const call = answerCall(shared, server, params, context);
    calls.add(call);
    try {
      return await call;
    } finally {
      calls.delete(call);
    }
  });
  return server;
}
