/**
 * Our plugin in OpenCode, which serves all its sessions from one process. It tells our MCP server and our commands
 * whose call they are. Whatever goes wrong in here, the agent's own work goes on.
 */
import { OPENCODE_SESSION_ARGUMENT, OPENCODE_SESSION_VARIABLE } from "../identity.ts";
import type { PluginHooks, PluginInput } from "./host.ts";
import { RootSessions } from "./root-sessions.ts";

/** OpenCode puts the name of the server before the names of its tools. */
const OUR_TOOLS = "talking-stick_";

export function createPlugin({ client }: PluginInput): PluginHooks {
  const sessions = new RootSessions(client);
  return {
    async event({ event }) {
      sessions.see(event);
    },
    "shell.env": failingOpen(async ({ sessionID }, { env }) => {
      if (sessionID !== undefined) env[OPENCODE_SESSION_VARIABLE] = await sessions.rootOf(sessionID);
    }),
    "tool.execute.before": failingOpen(async ({ tool, sessionID }, { args }) => {
      if (!tool.startsWith(OUR_TOOLS)) return;
      // A model that names a session itself is not believed, whether its own can be found out or not.
      delete args[OPENCODE_SESSION_ARGUMENT];
      args[OPENCODE_SESSION_ARGUMENT] = await sessions.rootOf(sessionID);
    }),
  };
}

function failingOpen<Input, Output>(hook: (input: Input, output: Output) => Promise<void>) {
  return async (input: Input, output: Output): Promise<void> => {
    try {
      await hook(input, output);
    } catch {
      // What it would have added is missing, and the agent works without it.
    }
  };
}
