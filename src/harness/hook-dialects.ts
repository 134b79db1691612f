import { claudeCodeHooks } from "./claude-code/hooks.ts";
import { codexHooks } from "./codex/hooks.ts";
import { geminiHooks } from "./gemini/hooks.ts";
import type { HookDialect } from "./hook-dialect.ts";
import { opencodeHooks } from "./opencode/hooks.ts";

/** By the name that stands in the command of the hook. */
export const HOOK_DIALECTS: ReadonlyMap<string, HookDialect> = new Map([
  ["claude", claudeCodeHooks],
  ["codex", codexHooks],
  ["gemini", geminiHooks],
  ["opencode", opencodeHooks],
]);
