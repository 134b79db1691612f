/** Gemini CLI has event names of its own, counts the time of a hook in milliseconds, and adds no context before a tool. */
import { dirname, join } from "node:path";
import type { Harness } from "../contract.ts";
import { ALL_MARKS, HOOK_TIMEOUT_S, type HookEvents, hookEntries, SERVER_NAME, serverEntry } from "../own-files.ts";
import { geminiHome } from "./identity.ts";

const EVENTS: HookEvents = {
  SessionStart: "session-start",
  BeforeAgent: "prompt",
  BeforeTool: { "^invoke_agent$": "subagent-start" },
  AfterTool: { "^(?!invoke_agent$)": "post-tool", "^invoke_agent$": "subagent-end" },
  AfterAgent: "stop",
  SessionEnd: "session-end",
};

export const setup: Harness["setup"] = {
  program: "gemini",
  directory: ({ env, home }) => join(geminiHome(env, home), ".gemini"),
  leadTo: (directory) => ({ GEMINI_CLI_HOME: directory === null ? undefined : dirname(directory) }),
  files(pins, places) {
    return [
      {
        kind: "config",
        path: join(this.directory(places), "settings.json"),
        entries: [
          { kind: "property", path: ["mcpServers", SERVER_NAME], value: serverEntry(pins) },
          ...hookEntries("gemini", EVENTS, pins, { name: SERVER_NAME, timeout: HOOK_TIMEOUT_S * 1000 }),
        ],
        marks: ALL_MARKS,
      },
    ];
  },
  skills: ({ env, home }) => join(geminiHome(env, home), ".agents", "skills"),
  notes: () => [],
};
