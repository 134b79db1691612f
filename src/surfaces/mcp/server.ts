/** The MCP server: every tool registered once, for both eras of the protocol. */
import { CLIENT_INFO_META_KEY, McpServer, type ServerContext } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { isRefusal, type Refusal } from "../../domain/refusal.ts";
import type { Deps } from "../../service/deps.ts";
import { AnswerTransport } from "./answer-transport.ts";
import { type McpPorts, ToolCall } from "./call.ts";
import { INSTRUCTIONS } from "./instructions.ts";
import { LeaseKeeper } from "./lease-keeper.ts";
import { respond } from "./respond.ts";
import type { Tool } from "./tool.ts";
import { CORE_TOOLS, TOOLS } from "./tools/index.ts";

const PROGRESS_EVERY_MS = 10_000;

export interface ServeOptions {
  readonly tools: "all" | "core";
  readonly transport?: AnswerTransport;
  readonly onClosed: () => void;
}

export function serveMcp(ports: McpPorts, { tools, transport = new AnswerTransport(), onClosed }: ServeOptions) {
  const keeper = new LeaseKeeper();
  let opened: Promise<Deps | Refusal> | null = null;
  const deps = async (): Promise<Deps | Refusal> => {
    opened ??= ports.openDeps();
    try {
      const answer = await opened;
      if (isRefusal(answer)) opened = null;
      return answer;
    } catch (error) {
      // A store that could not be opened may be there at the next call.
      opened = null;
      throw error;
    }
  };
  const shared = { ports, deps, keeper, transport };
  const offered = tools === "core" ? CORE_TOOLS : TOOLS;
  const handle = serveStdio(() => createServer(shared, offered), { transport });
  const close = transport.onclose;
  transport.onclose = () => {
    close?.();
    onClosed();
  };
  return { ...handle, deps: () => opened };
}

interface Shared {
  readonly ports: McpPorts;
  readonly deps: () => Promise<Deps | Refusal>;
  readonly keeper: LeaseKeeper;
  readonly transport: AnswerTransport;
}

function createServer(shared: Shared, tools: readonly Tool[]): McpServer {
  const { version } = shared.ports;
  const server = new McpServer({ name: "talking-stick", version }, { instructions: INSTRUCTIONS });
  for (const tool of tools) {
    server.registerTool(
      tool.name,
      {
        description: tool.description,
        inputSchema: tool.input,
        annotations: tool.reads
          ? { readOnlyHint: true, openWorldHint: false }
          : { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
      },
      (input: unknown, context: ServerContext) => answer(shared, server, tool, input, context),
    );
  }
  return server;
}

async function answer(shared: Shared, server: McpServer, tool: Tool, input: unknown, context: ServerContext) {
  const { signal, id, _meta } = context.mcpReq;
  const { transport, keeper } = shared;
  const progress = progressOf(context);
  const call = new ToolCall({
    ...shared,
    evidence: { ...clientOf(server, context), meta: { ..._meta } },
    signal,
    tell: progress.tell,
    afterAnswer: (work) => transport.afterAnswer(id, work),
  });
  signal.addEventListener("abort", () => transport.forget(id), { once: true });
  try {
    const known = await shared.deps().catch(() => null);
    return await keeper.during(known && !isRefusal(known) ? known : null, () => respond(() => tool.run(call, input)));
  } finally {
    progress.end();
  }
}

/** The client of the older era names itself once, that of the newer one with every call. */
function clientOf(server: McpServer, { mcpReq }: ServerContext) {
  const envelope = (mcpReq.envelope ?? {}) as Readonly<Record<string, unknown>>;
  const named: { name?: unknown; version?: unknown } | undefined =
    envelope[CLIENT_INFO_META_KEY] ?? server.server.getClientVersion();
  return { clientName: textOrNull(named?.name), clientVersion: textOrNull(named?.version) };
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** A client that asked for progress is told now and then that the call is alive. */
function progressOf({ mcpReq }: ServerContext) {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return { tell: () => undefined, end: () => undefined };
  let message = "waiting";
  let steps = 0;
  const timer = setInterval(() => {
    steps += 1;
    const params = { progressToken, progress: steps, message };
    mcpReq.notify({ method: "notifications/progress", params }).catch(() => undefined);
  }, PROGRESS_EVERY_MS);
  return {
    tell: (text: string) => {
      message = text;
    },
    end: () => clearInterval(timer),
  };
}
