/** Runs git as a child that is killed at its deadline or after too much output. private-git.ts has the settings. */
import type { ChildProcessByStdio } from "node:child_process";
import type { Readable } from "node:stream";

export interface GitRun {
  /** An absolute path. */
  readonly program: string;
  readonly cwd: string;
  readonly args: readonly string[];
  /** All that the child sees. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Output beyond this is an answer too: it ends the child. */
  readonly maxBytes: number;
}

export interface RunningGit {
  /** Null when git is missing, fails, takes too long or is ended. Never rejects. */
  readonly answer: Promise<GitAnswer | null>;
  /** For a child whose answer is not needed any more. */
  end(): void;
}

export interface GitAnswer {
  readonly text: string;
  /** True when the child was ended because it said more than was wanted. */
  readonly cut: boolean;
}

export function runGit(run: GitRun): RunningGit {
  let end: (() => void) | null = null;
  const answer = new Promise<GitAnswer | null>((settle) => {
    const child = run.timeoutMs > 0 ? start(run) : null;
    const chunks: Buffer[] = [];
    let total = 0;
    const finish = (found: GitAnswer | null) => {
      clearTimeout(timer);
      // A grandchild may keep the pipe open, so nothing waits for its end.
      child?.stdout.destroy();
      child?.kill("SIGKILL");
      settle(found);
    };
    const timer = setTimeout(() => finish(null), run.timeoutMs);
    end = () => finish(null);
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
  return { answer, end: () => end?.() };
}

function start(run: GitRun): ChildProcessByStdio<null, Readable, null> | null {
  try {
    return process.getBuiltinModule("node:child_process").spawn(run.program, [...run.args], {
      cwd: run.cwd,
      env: { ...run.env },
      stdio: ["ignore", "pipe", "ignore"],
    });
  } catch {
    // No memory or no file handles for a child: the same as no answer.
    return null;
  }
}
