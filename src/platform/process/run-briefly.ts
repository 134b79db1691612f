/** Runs a small program as a child that is killed when its time is over, or when it has said more than is wanted. */
import type { ChildProcessByStdio } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import type { Environment } from "../settings/environment.ts";
import { findProgram, safePath } from "./find-program.ts";

export interface ChildRun {
  /** An absolute path. */
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** All that the child sees. */
  readonly env: Environment;
  readonly timeoutMs: number;
  /** 0: nobody reads what the child says, and its exit is its end. */
  readonly maxBytes: number;
  /** What the child reads; without it, nothing. */
  readonly input?: Uint8Array | undefined;
  /** `latin1` keeps every byte, for names and contents that may not be text. */
  readonly encoding?: "utf8" | "latin1";
  /** How much of the child's complaints to keep; without it, nothing. */
  readonly errorBytes?: number;
}

/** `cut`: it said more, and was killed. `missing`: it never ran. `overdue`: it was killed; what it had done is not known. */
export type ChildAnswer =
  | { readonly ended: "exit"; readonly code: number; readonly output: string; readonly errors: string }
  | { readonly ended: "cut"; readonly output: string }
  | { readonly ended: "missing" | "overdue" };

export interface RunningChild {
  /** Never rejects. */
  readonly answer: Promise<ChildAnswer>;
  /** For a child whose answer is not needed any more. */
  end(): void;
}

const MOST_BYTES = 1_000_000;

/** Neither the program nor what it starts is searched in the working tree. It runs outside, where no project has settings. */
export async function runBriefly(
  name: string,
  args: readonly string[],
  { env, timeoutMs }: Pick<ChildRun, "env" | "timeoutMs">,
): Promise<ChildAnswer> {
  const program = findProgram(env, name);
  if (program === null) return { ended: "missing" };
  const childEnv = { ...env, PATH: safePath(env).join(":") };
  return runChild({ program, args, cwd: "/", env: childEnv, timeoutMs, maxBytes: MOST_BYTES }).answer;
}

export function runChild(run: ChildRun): RunningChild {
  const child = run.timeoutMs > 0 ? start(run) : null;
  if (child === null) return { answer: Promise.resolve({ ended: "missing" }), end: () => undefined };
  let end: (() => void) | null = null;
  const answer = new Promise<ChildAnswer>((settle) => {
    const chunks: Buffer[] = [];
    let total = 0;
    const finish = (found: ChildAnswer) => {
      clearTimeout(timer);
      // A grandchild may keep the pipe open, so nothing waits for its end.
      child.stdout?.destroy();
      child.stderr?.destroy();
      child.kill("SIGKILL");
      settle(found);
    };
    end = () => finish({ ended: "overdue" });
    const timer = setTimeout(end, run.timeoutMs);
    const output = () =>
      Buffer.concat(chunks)
        .subarray(0, run.maxBytes)
        .toString(run.encoding ?? "utf8");
    let errors = "";
    child.stderr?.on("data", (chunk: Buffer) => {
      errors = (errors + chunk.toString("latin1")).slice(0, run.errorBytes);
    });
    child.stdout?.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      total += chunk.length;
      if (total > run.maxBytes) finish({ ended: "cut", output: output() });
    });
    child.on("error", () => finish({ ended: child.pid === undefined ? "missing" : "overdue" }));
    // What it has started may keep the pipe for its complaints open.
    if (run.maxBytes === 0)
      child.on("exit", (code) => code === 0 && finish({ ended: "exit", code, output: "", errors }));
    child.on("close", (code) =>
      finish(code === null ? { ended: "overdue" } : { ended: "exit", code, output: output(), errors }),
    );
    // A child that ends early does not read the rest.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(run.input);
  });
  return { answer, end: () => end?.() };
}

type Child = ChildProcessByStdio<Writable | null, Readable | null, Readable | null>;

function start({ program, args, cwd, env, input, maxBytes, errorBytes }: ChildRun): Child | null {
  const stdio = [input ? "pipe" : "ignore", maxBytes > 0 ? "pipe" : "ignore", errorBytes ? "pipe" : "ignore"] as const;
  try {
    const { spawn } = process.getBuiltinModule("node:child_process");
    return spawn(program, [...args], { cwd, env: { ...env }, stdio: [...stdio] });
  } catch {
    // No memory or no file handles for a child: it never ran.
    return null;
  }
}
