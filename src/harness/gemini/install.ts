/** Gemini CLI has event names of its own, counts the time of a hook in milliseconds, and adds no context before a tool. */
import { dirname, join } from "node:path";
import { jsonc } from "../../install/formats/jsonc.ts";
import type { HarnessSetup } from "../../install/rules/harness-setup.ts";
import { geminiHome } from "../directories.ts";
import {
  HOOK_MARKS,
  HOOK_TIMEOUT_S,
  type HookEvents,
  hookEntries,
  hookProgramFile,
  isOurHook,
  isOurServer,
  SERVER_NAME,
  skillFile,
} from "../own-files.ts";

const EVENTS: HookEvents = {
  SessionStart: "session-start",
  BeforeAgent: "prompt",
  BeforeTool: { "^invoke_agent$": "subagent-start" },
  AfterTool: { "^(?!invoke_agent$)": "post-tool", "^invoke_agent$": "subagent-end" },
  AfterAgent: "stop",
  SessionEnd: "session-end",
};

export const geminiSetup: HarnessSetup = {
  name: "gemini",
  title: "Gemini CLI",
  program: "gemini",
  directory: ({ env, home }) => join(geminiHome(env, home), ".gemini"),
  leadTo: (directory) => ({ GEMINI_CLI_HOME: directory === null ? undefined : dirname(directory) }),
  files(pins, places) {
    const server = { command: pins.node, args: [pins.program, "mcp"], env: pins.variables };
    return [
      {
        kind: "config",
        path: join(this.directory(places), "settings.json"),
        format: jsonc,
        entries: [
          { kind: "property", path: ["mcpServers", SERVER_NAME], value: server },
          ...hookEntries("gemini", EVENTS, pins, { name: SERVER_NAME, timeout: HOOK_TIMEOUT_S * 1000 }),
        ],
        marks: { ...HOOK_MARKS, isOurs: (value) => isOurHook(value) || isOurServer(value) },
      },
      hookProgramFile(pins),
      skillFile(join(geminiHome(places.env, places.home), ".agents", "skills"), pins),
    ];
  },
  notes: () => [],
};
