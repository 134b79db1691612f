/** Wires the MCP server: settings, the store, who is calling, and when to end. */
import { version } from "../../package.json";
import { isRefusal, type Refusal } from "../core/refusal.ts";
import { HARNESSES } from "../harness/harnesses.ts";
import { ownInboxIn } from "../harness/waking.ts";
import { openAgentFiles } from "../platform/agents/agent-files.ts";
import { createSurroundingsReader, identifyCaller } from "../platform/agents/identify-caller.ts";
import { createSessionClaims } from "../platform/agents/sticky-claim.ts";
import { sha256Hex } from "../platform/files/digest.ts";
import { namesIn } from "../session/names-in.ts";
import { runPlainLine } from "../surfaces/cli/run-command.ts";
import type { McpPorts } from "../surfaces/mcp/call.ts";
import { serveMcp } from "../surfaces/mcp/server.ts";
import { type McpServerOptions, mcpCommand } from "./mcp-command.ts";
import { openDepsWith } from "./open.ts";
import { type Ran, runMain } from "./run-main.ts";
import { readSettings, type Settings } from "./settings.ts";

/** The program of `tt mcp`. Null when the line is for the whole program. `startedBy` is the parent process. */
export function main(startedBy: number): Promise<Ran | null> {
  const command = mcpCommand((options) => runMcpServer(options, startedBy));
  return runMain((words, ports) => runPlainLine(words, ports, [command]));
}

/** Resolves when the client has closed the connection or is gone. The server ends with the process that started it. */
export async function runMcpServer({ tools, agent, directory }: McpServerOptions, startedBy: number): Promise<void> {
  const { env } = process;
  let settings: Settings | Refusal | null = null;
  let readSurroundings: ReturnType<typeof createSurroundingsReader> | null = null;
  const usable = (): Settings => {
    settings ??= readSettings(env);
    if (isRefusal(settings)) throw new Error(settings.message);
    return settings;
  };
  // All clients start their servers in the project; variables about it may be those of a harness further up.
  const cwd = directory ?? process.cwd();
  const ports: McpPorts = {
    version,
    directory: cwd,
    async openDeps() {
      settings = readSettings(env);
      return isRefusal(settings) ? settings : openDepsWith(settings, env, { busyLimitMs: BUSY_LIMIT_MS });
    },
    identify: (deps, call) => {
      const { dataDir, shared } = usable();
      const { probe } = deps;
      // A server has no terminal, even if the harness that started it has one.
      readSurroundings ??= createSurroundingsReader({ env, probe, harnesses: HARNESSES, isTty: false });
      const options = { env, cwd, agent, dataDir, shared, probe, harnesses: HARNESSES };
      return identifyCaller({ ...options, ...namesIn(deps), call, surroundings: readSurroundings() });
    },
    ownInbox: ownInboxIn(env),
    isShared: () => {
      const chosen = readSettings(env);
      return !isRefusal(chosen) && chosen.shared;
    },
    memory: () => openAgentFiles(usable().dataDir),
    claimBook: () => ({ claims: createSessionClaims(usable().dataDir), hash: sha256Hex }),
  };
  const server = serveMcp(ports, { tools });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => void server.close());
  whenOrphaned(startedBy, () => void server.close());
  await server.ended;
}

/** Clients give a call up some 10 s after the longest wait, so a call must not wait longer than that for the store. */
const BUSY_LIMIT_MS = 10_000;

/** A server must not outlive its parent process, even if the parent died without closing the connection. */
const LOOK_EVERY_MS = 5000;

/** `parent` is the parent's pid when this process began; it may be gone by now. */
function whenOrphaned(parent: number, end: () => void): void {
  if (process.ppid !== parent) return end();
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    end();
  }, LOOK_EVERY_MS);
  timer.unref();
}
