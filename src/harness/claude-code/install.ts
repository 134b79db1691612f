/**
 * Claude Code keeps its servers in `.claude.json`, which lies beside `~/.claude`, or inside the directory that
 * CLAUDE_CONFIG_DIR names. It rewrites that file often, with two blanks of indent, as we write it.
 */
import { join } from "node:path";
import { jsonc } from "../../install/formats/jsonc.ts";
import type { HarnessSetup } from "../../install/rules/harness-setup.ts";
import { claudeCodeDirectory } from "../directories.ts";
import {
  CLAUDE_EVENTS,
  HOOK_MARKS,
  HOOK_TIMEOUT_S,
  hookEntries,
  hookProgramFile,
  SERVER_MARKS,
  SERVER_NAME,
  skillFile,
} from "../own-files.ts";

export const claudeCodeSetup: HarnessSetup = {
  name: "claude",
  title: "Claude Code",
  program: "claude",
  directory: ({ env, home }) => claudeCodeDirectory(env, home),
  leadTo: (directory) => ({ CLAUDE_CONFIG_DIR: directory ?? undefined }),
  files(pins, places) {
    const directory = this.directory(places);
    const servers = places.env["CLAUDE_CONFIG_DIR"] ? directory : places.home;
    const server = { type: "stdio", command: pins.node, args: [pins.program, "mcp"], env: pins.variables };
    return [
      {
        kind: "config",
        path: join(servers, ".claude.json"),
        format: jsonc,
        entries: [{ kind: "property", path: ["mcpServers", SERVER_NAME], value: server }],
        marks: SERVER_MARKS,
      },
      {
        kind: "config",
        path: join(directory, "settings.json"),
        format: jsonc,
        entries: hookEntries("claude", CLAUDE_EVENTS, pins, { timeout: HOOK_TIMEOUT_S }),
        marks: HOOK_MARKS,
      },
      hookProgramFile(pins),
      skillFile(join(directory, "skills"), pins),
    ];
  },
  notes: () => [],
};
