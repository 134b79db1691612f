/** Our entries in the configuration of a harness: the MCP server and the hooks, and how they are recognised later. */
import { shellQuoted } from "../core/shell-word.ts";
import { type Entry, isDocument, type Json, type KeyPath, valueAt } from "../install/rules/entry.ts";
import type { Pins } from "../install/rules/harness-setup.ts";
import type { OwnMarks } from "../install/rules/own-marks.ts";
import type { ConfigFile } from "../install/rules/wanted-file.ts";
import type { WritingTools } from "./hook-dialect.ts";

type OwnFile = Omit<ConfigFile, "format">;

export const SERVER_NAME = "talking-stick";

/** Lists of hooks by event, as all harnesses with hooks keep them. */
export const HOOKS: KeyPath = ["hooks"];

/**
 * Maps the harness's name of an event to ours. If an event has several of ours, they are mapped by the pattern of the
 * tools that they are for. An empty pattern means every tool.
 */
export type HookEvents = Readonly<Record<string, string | Readonly<Record<string, string>>>>;

/** The names that Claude Code introduced and that other harnesses have adopted. */
export const USUAL_EVENTS: HookEvents = {
  SessionStart: "session-start",
  UserPromptSubmit: "prompt",
  PreToolUse: "pre-tool",
  Stop: "stop",
  SessionEnd: "session-end",
};

/** The MCP server as most harnesses start it. */
export function serverEntry({ node, program, variables }: Pins): Readonly<Record<string, Json>> {
  return { command: node, args: [program, "mcp"], env: variables };
}

/**
 * Our own deadline is 1 s. This longer one is for a machine that is too slow even for that. If it is longer still,
 * Codex warns at the end of a session.
 */
export const HOOK_TIMEOUT_S = 3;
/** The guard's own deadline is 3 s. */
const GUARD_TIMEOUT_S = 5;
const GUARD = "guard";

/** Does nothing if the hook script was deleted. */
function hookCommand(harness: string, event: string, path: string): string {
  const script = shellQuoted(path);
  return `test ! -x ${script} || exec ${script} ${harness} ${event}`;
}

/** `secondsAre`: what the harness counts the time limit of a hook in. */
export function hookEntries(
  harness: string,
  events: HookEvents,
  { hookScript: script }: Pins,
  { secondsAre = 1, ...more }: { readonly secondsAre?: number; readonly name?: string } = {},
): readonly Entry[] {
  const timeout = (event: string) => (event === GUARD ? GUARD_TIMEOUT_S : HOOK_TIMEOUT_S) * secondsAre;
  const hooks = (event: string) => [
    { type: "command", ...more, timeout: timeout(event), command: hookCommand(harness, event, script) },
  ];
  return Object.entries(events).flatMap(([name, ours]) => {
    const values =
      typeof ours === "string"
        ? [{ hooks: hooks(ours) }]
        : Object.entries(ours).map(([matcher, event]) => ({ ...(matcher !== "" && { matcher }), hooks: hooks(event) }));
    return values.map((value) => ({ kind: "item" as const, path: [...HOOKS, name], value }));
  });
}

/** The same events, and before each tool that writes the guard's, if it is wanted. `name`: the harness's own for that event. */
export function withGuard(events: HookEvents, name: string, { edits, shells, patches }: WritingTools, pins: Pins) {
  if (!pins.guard) return events;
  const before = events[name] ?? {};
  const tools = [...Object.keys(edits), ...Object.keys(patches ?? {}), ...shells].join("|");
  return { ...events, [name]: { ...(typeof before === "string" ? { "": before } : before), [`^(${tools})$`]: GUARD } };
}

/** Whether all hooks of a group are ours, of any version. The program that they run shows it. */
export function isOurHook(value: unknown): boolean {
  const hooks = isDocument(value) ? value["hooks"] : undefined;
  return Array.isArray(hooks) && hooks.length > 0 && hooks.every(runsOurs);
}

function runsOurs(hook: unknown): boolean {
  const command = valueAt(hook, ["command"]);
  return typeof command === "string" && /\/hooks\/tt-hook' [a-z]+ [a-z-]+$/.test(command);
}

/** Whether we wrote a server entry. An entry that a person wrote has no data directory, or another program. */
function isOurServer(value: unknown): boolean {
  if (!isDocument(value)) return false;
  const words = [value["command"], value["args"]].flat().filter((word) => typeof word === "string");
  const variables = value["env"] ?? value["environment"];
  return (
    words.at(-1) === "mcp" &&
    words.some((word) => /[\\/]tt\.cjs$/.test(word)) &&
    isDocument(variables) &&
    "TT_DATA_DIR" in variables
  );
}

const SERVER_MARKS: OwnMarks = { isOurs: isOurServer, lists: null };
/** If servers and hooks are in the same file, use ALL_MARKS. */
const HOOK_MARKS = {
  isOurs: isOurHook,
  lists: HOOKS,
  members: { key: "hooks", isOurs: runsOurs },
} satisfies OwnMarks;
export const ALL_MARKS: OwnMarks = { ...HOOK_MARKS, isOurs: (value) => isOurHook(value) || isOurServer(value) };

/** A file of the harness with our server among others. `key` is the key of the servers. */
export function fileWithServer(path: string, key: string, value: Json): OwnFile {
  return {
    kind: "config",
    path,
    entries: [{ kind: "property", path: [key, SERVER_NAME], value }],
    marks: SERVER_MARKS,
  };
}

/** A file of the harness with our hooks. */
export function fileWithHooks(path: string, harness: string, events: HookEvents, pins: Pins): OwnFile {
  const entries = hookEntries(harness, events, pins);
  return { kind: "config", path, entries, marks: HOOK_MARKS };
}
