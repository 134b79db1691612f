/**
 * Claude Code keeps its servers in `.claude.json`, which lies beside `~/.claude`, or inside the directory that
 * CLAUDE_CONFIG_DIR names. It rewrites that file often, with two blanks of indent, as we write it.
 */
import { join } from "node:path";
import { valueAt } from "../../install/rules/entry.ts";
import type { Harness } from "../contract.ts";
import {
  fileWithHooks,
  fileWithServer,
  type HookEvents,
  SERVER_NAME,
  serverEntry,
  USUAL_EVENTS,
  withGuard,
} from "../own-files.ts";
import { claudeCodeDirectory } from "./identity.ts";
import { WRITING_TOOLS } from "./tools.ts";

const EVENTS: HookEvents = {
  ...USUAL_EVENTS,
  PreToolUse: { "": "pre-tool", [`mcp__${SERVER_NAME}__.*`]: "own-tool" },
  PostToolBatch: "post-tool",
  StopFailure: "turn-broken",
};

export const setup: Harness["setup"] = {
  program: "claude",
  directory: ({ env, home }) => claudeCodeDirectory(env, home),
  leadTo: (directory) => ({ CLAUDE_CONFIG_DIR: directory ?? undefined }),
  files(pins, places) {
    const directory = this.directory(places);
    const servers = places.env["CLAUDE_CONFIG_DIR"] ? directory : places.home;
    const server = { type: "stdio", ...serverEntry(pins) };
    return [
      fileWithServer(join(servers, ".claude.json"), "mcpServers", server),
      fileWithHooks(
        join(directory, "settings.json"),
        "claude",
        withGuard(EVENTS, "PreToolUse", WRITING_TOOLS, pins),
        pins,
      ),
    ];
  },
  skills: (places) => join(claudeCodeDirectory(places.env, places.home), "skills"),
  notes: () => [],
  /** Written with "=", because it would take the words behind a blank for further files. */
  forOneRun({ entries: { hooks, ...servers }, words }) {
    const end = words.indexOf("--");
    const own = words.slice(0, end < 0 ? undefined : end);
    // It reads one --settings, the last.
    const isTaken = hooks !== undefined && own.some((word) => /^--settings(=|$)/.test(word));
    return {
      words: [
        ...(Object.keys(servers).length > 0 ? [`--mcp-config=${JSON.stringify(servers)}`] : []),
        ...(hooks !== undefined && !isTaken ? [`--settings=${JSON.stringify({ hooks })}`] : []),
      ],
      missing: isTaken ? ["Your --settings takes the place of our hooks."] : [],
    };
  },
  switchedOff(places, read) {
    const project = join(places.project, ".claude");
    const files = [
      join(this.directory(places), "settings.json"),
      join(project, "settings.json"),
      join(project, "settings.local.json"),
    ];
    const told = files.map((file) => ({ file, off: valueAt(read(file), ["disableAllHooks"]) }));
    // The last file that says anything counts.
    const last = told.findLast(({ off }) => off !== undefined);
    return last?.off === true ? [`disableAllHooks in ${last.file}`] : [];
  },
};
