/** Gemini CLI has event names of its own, counts the time of a hook in milliseconds, and adds no context before a tool. */
import { dirname, join } from "node:path";
import { valueAt } from "../../install/rules/entry.ts";
import { isWithin } from "../../platform/files/path-in.ts";
import type { Harness } from "../contract.ts";
import { ALL_MARKS, type HookEvents, hookEntries, SERVER_NAME, serverEntry, withGuard } from "../own-files.ts";
import { objectIn } from "../records.ts";
import { geminiHome } from "./identity.ts";
import { WRITING_TOOLS } from "./tools.ts";

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
          ...hookEntries("gemini", withGuard(EVENTS, "BeforeTool", WRITING_TOOLS, pins), pins, {
            name: SERVER_NAME,
            secondsAre: 1000,
          }),
        ],
        marks: ALL_MARKS,
      },
    ];
  },
  skills: ({ env, home }) => join(geminiHome(env, home), ".agents", "skills"),
  notes: () => [],
  switchedOff(places, read) {
    const directory = this.directory(places);
    const off = [join(directory, "settings.json"), join(places.project, ".gemini", "settings.json")].flatMap((file) => {
      const { enabled, disabled } = objectIn(valueAt(read(file), ["hooksConfig"]));
      const isNamed = Array.isArray(disabled) && disabled.includes(SERVER_NAME);
      return enabled === false || isNamed ? [`hooksConfig.${isNamed ? "disabled" : "enabled"} in ${file}`] : [];
    });
    // In a folder that its user does not trust it starts no server, and without a terminal it does not run at all.
    const trust = join(directory, "trustedFolders.json");
    const untrusted = Object.entries(read(trust) ?? {}).some(
      ([folder, rule]) => rule === "DO_NOT_TRUST" && isWithin(folder, places.project),
    );
    return untrusted ? [...off, `DO_NOT_TRUST for this folder in ${trust}`] : off;
  },
};
