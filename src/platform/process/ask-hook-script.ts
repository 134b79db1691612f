/** Runs our hook script from inside another program, with its payload, and returns what it prints. Never fails. */
import { type ChildProcess, spawn } from "node:child_process";
import type { Environment } from "../settings/environment.ts";

const MOST_CHARACTERS = 1_000_000;

export interface HookScriptCall {
  readonly words: readonly string[];
  readonly payload: string;
  readonly env: Environment;
  readonly timeoutMs: number;
}

/** What is printed is read within this time after all of it were killed, unless somebody has left their group. */
const LAST_WORDS_MS = 100;

/**
 * Whoever prints acknowledges afterwards, so what was printed must not be lost, and what nobody will read must not be
 * printed. When the time is over, the script and all that it started are killed, what they had printed by then still
 * counts, and then the pipe is closed: to write into it fails.
 */
export function askHookScript(script: string, call: HookScriptCall): Promise<string> {
  const { payload, timeoutMs } = call;
  return new Promise((settle) => {
    const child = start(script, call);
    if (child === null) return settle("");
    let output = "";
    const finish = () => {
      clearTimeout(timer);
      child.stdout?.destroy();
      settle(output);
    };
    let timer = setTimeout(() => {
      killAll(child);
      timer = setTimeout(finish, LAST_WORDS_MS);
    }, timeoutMs);
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      if (output.length < MOST_CHARACTERS) output += text;
    });
    child.once("error", finish);
    child.once("close", finish);
    // It need not read all of it.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(payload);
  });
}

function start(script: string, { words, env }: HookScriptCall): ChildProcess | null {
  try {
    // In a group of its own: the shell is not the one that works, and dies alone otherwise.
    return spawn(script, [...words], { env: { ...env }, stdio: ["pipe", "pipe", "ignore"], detached: true });
  } catch {
    // Not installed, or no memory or file handles for a child.
    return null;
  }
}

function killAll({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // All of them have ended by themselves.
  }
}
