/** Where each harness keeps its own files, which a variable of its own may say. */
import { join } from "node:path";
import type { Variables } from "../core/harness.ts";

export function claudeCodeDirectory(env: Variables, home: string): string {
  return env["CLAUDE_CONFIG_DIR"] || join(home, ".claude");
}

export function codexDirectory(env: Variables, home: string): string {
  return env["CODEX_HOME"] || join(home, ".codex");
}

/** What Gemini CLI takes for its user's home, also when it looks for skills. */
export function geminiHome(env: Variables, home: string): string {
  return env["GEMINI_CLI_HOME"] || home;
}
