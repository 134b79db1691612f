/**
 * Codex runs a hook only after its user has trusted it: the terminal asks once, and again when the hook is edited.
 * Its sandbox lets a shell write only below the roots it is told of, so the data directory becomes one of them.
 */
import { join } from "node:path";
import { type Entry, isDocument, itemsAt, type Json, type KeyPath, valueAt } from "../../install/rules/entry.ts";
import { inlineToml } from "../../install/rules/toml-text.ts";
import { sha256Hex } from "../../platform/files/digest.ts";
import type { Harness } from "../contract.ts";
import {
  fileWithHooks,
  fileWithServer,
  HOOKS,
  type HookEvents,
  isOurHook,
  serverEntry,
  USUAL_EVENTS,
  withGuard,
} from "../own-files.ts";
import { codexDirectory } from "./identity.ts";
import { WRITING_TOOLS } from "./tools.ts";

const WRITABLE_ROOTS: KeyPath = ["sandbox_workspace_write", "writable_roots"];

const EVENTS: HookEvents = { ...USUAL_EVENTS, Interrupt: "turn-broken" };

export const setup: Harness["setup"] = {
  program: "codex",
  directory: ({ env, home }) => codexDirectory(env, home),
  leadTo: (directory) => ({ CODEX_HOME: directory ?? undefined }),
  files(pins, places) {
    const directory = this.directory(places);
    const server = fileWithServer(join(directory, "config.toml"), "mcp_servers", serverEntry(pins));
    const root: Entry = { kind: "item", path: WRITABLE_ROOTS, value: pins.dataDir };
    return [
      // A root that is missing stays missing: from inside the sandbox it cannot be made.
      { ...server, entries: [...server.entries, root], directories: [pins.dataDir] },
      fileWithHooks(join(directory, "hooks.json"), "codex", withGuard(EVENTS, "PreToolUse", WRITING_TOOLS, pins), pins),
    ];
  },
  skills: ({ home }) => join(home, ".agents", "skills"),
  notes: ({ dataDir }) => [
    "Codex runs hooks only after you trust them. It asks you to review them when you next start it in a terminal. `codex exec` does not ask, and skips the hooks until then.",
    `Codex's sandbox may now write in ${dataDir} (writable_roots); without that, tt in its shell cannot use the store.`,
  ],
  /** Words of the command line are a layer of settings over its files, with hooks and trust of their own. */
  forOneRun({ entries: { sandbox_workspace_write: sandbox, hooks, ...servers } }) {
    const trust = isDocument(hooks) && { hooks: { ...hooks, state: trustIn(hooks, "/<session-flags>/config.toml") } };
    const settings = Object.entries({ ...servers, ...trust });
    // A list of its settings would take the place of its user's.
    const roots = itemsAt(sandbox, WRITABLE_ROOTS.slice(-1)).map(String);
    return {
      words: [
        ...settings.flatMap(([key, value]) => ["-c", `${key}=${inlineToml(value)}`]),
        ...roots.flatMap((root) => ["--add-dir", root]),
      ],
    };
  },
  switchedOff(places, read) {
    const file = join(this.directory(places), "config.toml");
    return valueAt(read(file), ["features", "hooks"]) === false ? [`features.hooks = false in ${file}`] : [];
  },
  untrustedHooks(places, read) {
    const directory = this.directory(places);
    const hooksFile = join(directory, "hooks.json");
    const hooks = read(hooksFile);
    const trusted = valueAt(read(join(directory, "config.toml")), ["hooks", "state"]);
    // Codex knows the file by its real place where a variable has named the directory.
    const files = [hooksFile, join(places.real(directory), "hooks.json")];
    const isTrusted = (event: string, group: unknown, place: number) => {
      const hash = trustedHash(event, group);
      return files.some((file) => valueAt(trusted, [`${file}:${event}:${place}:0`, "trusted_hash"]) === hash);
    };
    return Object.keys(EVENTS).filter((event) => {
      const groups = itemsAt(hooks, [...HOOKS, event]);
      return groups.some((group, place) => isOurHook(group) && !isTrusted(nameInState(event), group, place));
    });
  },
};

function nameInState(event: string): string {
  return event.replace(/(?<=[a-z])[A-Z]/g, "_$&").toLowerCase();
}

/** What Codex notes about hooks of a file once their user trusts them. */
function trustIn(hooks: Readonly<Record<string, Json>>, file: string): Readonly<Record<string, Json>> {
  const trusted = Object.keys(hooks).flatMap((event) =>
    itemsAt(hooks, [event]).map((group, place) => {
      const name = nameInState(event);
      return [`${file}:${name}:${place}:0`, { trusted_hash: trustedHash(name, group) }] as const;
    }),
  );
  return Object.fromEntries(trusted);
}

/** Codex trusts a hook by file, event and place, as long as its digest over these very words is the same. */
function trustedHash(event: string, group: unknown): string {
  const [hook] = itemsAt(group, HOOKS);
  const words = {
    async: false,
    command: valueAt(hook, ["command"]),
    timeout: valueAt(hook, ["timeout"]),
    type: "command",
  };
  // A group for every tool has no matcher, and then none is left in the text.
  const matcher = valueAt(group, ["matcher"]);
  return `sha256:${sha256Hex(JSON.stringify({ event_name: event, hooks: [words], matcher }))}`;
}
