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

/** Output is read for this long after the process group was killed, since a process may have left the group. */
const LAST_WORDS_MS = 100;

/**
 * The hook acknowledges mail after printing it. So printed output must not be lost, and a hook must not print what
 * nobody reads. At the deadline, the script and all that it started are killed. What they had printed still counts.
 * Then the pipe is closed, and writing into it fails.
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
