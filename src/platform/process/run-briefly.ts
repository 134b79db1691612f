/**
 * Runs a small program as a child that is killed when its time is over. Neither it nor what it starts is searched in the
 * working tree, and it runs outside of the tree, where it finds no settings of a project.
 */
import type { ChildProcess } from "node:child_process";
import type { Environment } from "../settings/environment.ts";
import { findProgram, safePath } from "./find-program.ts";

export interface BriefRun {
  readonly env: Environment;
  readonly timeoutMs: number;
}

/** `missing`: it never ran. `overdue`: it was killed, and what it had done by then is not known. */
export type BriefAnswer =
  | { readonly ended: "exit"; readonly code: number; readonly output: string }
  | { readonly ended: "missing" }
  | { readonly ended: "overdue" };

const MOST_CHARACTERS = 1_000_000;

export function runBriefly(program: string, args: readonly string[], run: BriefRun): Promise<BriefAnswer> {
  return new Promise((settle) => {
    if (run.timeoutMs <= 0) return settle({ ended: "missing" });
    const child = start(program, args, run);
    if (child === null) return settle({ ended: "missing" });
    let output = "";
    const finish = (answer: BriefAnswer) => {
      clearTimeout(timer);
      // A grandchild may keep the pipe open, so nothing waits for its end.
      child.stdout?.destroy();
      settle(answer);
    };
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      finish({ ended: "overdue" });
    }, run.timeoutMs);
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      if (output.length < MOST_CHARACTERS) output += text;
    });
    child.once("error", () => finish({ ended: child.pid === undefined ? "missing" : "overdue" }));
    child.once("close", (code) => finish(code === null ? { ended: "overdue" } : { ended: "exit", code, output }));
  });
}

function start(program: string, args: readonly string[], { env }: BriefRun): ChildProcess | null {
  const path = findProgram(env, program);
  if (path === null) return null;
  try {
    return process.getBuiltinModule("node:child_process").spawn(path, [...args], {
      cwd: "/",
      env: { ...env, PATH: safePath(env).join(":") },
      stdio: ["ignore", "pipe", "ignore"],
    });
  } catch {
    // No memory or no file handles for a child: it never ran.
    return null;
  }
}
