/**
 * Runs git as a child that cannot hurt: it takes no locks, asks nothing, starts no helper of the repository's
 * choosing, sees none of the caller's GIT_* variables, and is killed when its time is over or it says too much.
 */
import type { ChildProcessByStdio } from "node:child_process";
import type { Readable } from "node:stream";
import type { Environment } from "./environment.ts";

export interface GitRun {
  readonly cwd: string;
  readonly args: readonly string[];
  readonly env: Environment;
  readonly timeoutMs: number;
  /** Output beyond this is an answer too: it ends the child. */
  readonly maxBytes: number;
  readonly program?: string;
}

export interface GitAnswer {
  readonly text: string;
  /** True when the child was ended because it said more than was wanted. */
  readonly cut: boolean;
}

const SAFE_ARGS = ["--no-optional-locks", "-c", "core.fsmonitor=false"];

/** Resolves to null when git is missing, fails or takes too long. Never rejects. */
export function runGit(run: GitRun): Promise<GitAnswer | null> {
  return new Promise((settle) => {
    const child = start(run);
    const chunks: Buffer[] = [];
    let total = 0;
    const finish = (answer: GitAnswer | null) => {
      clearTimeout(timer);
      // A grandchild may keep the pipe open, so nothing waits for its end.
      child?.stdout.destroy();
      child?.kill("SIGKILL");
      settle(answer);
    };
    const timer = setTimeout(() => finish(null), run.timeoutMs);
    if (child === null) return finish(null);
    const text = () => Buffer.concat(chunks).subarray(0, run.maxBytes).toString("utf8");
    child.stdout.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      total += chunk.length;
      if (total > run.maxBytes) finish({ text: text(), cut: true });
    });
    child.on("error", () => finish(null));
    child.on("close", (code) => finish(code === 0 ? { text: text(), cut: false } : null));
  });
}

function start(run: GitRun): ChildProcessByStdio<null, Readable, null> | null {
  try {
    return process.getBuiltinModule("node:child_process").spawn(run.program ?? "git", [...SAFE_ARGS, ...run.args], {
      cwd: run.cwd,
      env: childEnvironment(run.env),
      stdio: ["ignore", "pipe", "ignore"],
    });
  } catch {
    // No memory or no file handles for a child: the same as no answer.
    return null;
  }
}

/** GIT_DIR and its like, set by a hook or an editor, would make git answer about another repository. */
function childEnvironment(env: Environment): Record<string, string> {
  const kept = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !entry[0].startsWith("GIT_"),
  );
  return { ...Object.fromEntries(kept), LC_ALL: "C", GIT_TERMINAL_PROMPT: "0" };
}
