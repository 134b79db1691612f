/** Runs our hook script from inside another program, with its payload, and returns what it prints. Never fails. */
import { type ChildProcess, spawn } from "node:child_process";
import type { Environment } from "./environment.ts";

const MOST_CHARACTERS = 1_000_000;

export interface HookScriptCall {
  readonly words: readonly string[];
  readonly payload: string;
  readonly env: Environment;
  readonly timeoutMs: number;
}

/** When the time is over, what has been printed until then still counts: it may have been acknowledged. */
export function askHookScript(script: string, call: HookScriptCall): Promise<string> {
  const { payload, timeoutMs } = call;
  return new Promise((settle) => {
    const child = start(script, call);
    if (child === null) return settle("");
    let output = "";
    const finish = () => {
      clearTimeout(timer);
      settle(output);
    };
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      finish();
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
    return spawn(script, [...words], { env: { ...env }, stdio: ["pipe", "pipe", "ignore"] });
  } catch {
    // Not installed, or no memory or file handles for a child.
    return null;
  }
}
