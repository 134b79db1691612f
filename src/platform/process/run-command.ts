/**
 * Runs a command of the caller in place of ours: its streams, its signals and its exit code. The codes are those that
 * shells use: 125 if it could not be started, 126 if it is not executable, 127 if it is not found, 128 and the number of
 * the signal that ended it.
 */
import type { ChildProcess } from "node:child_process";
import { basename, dirname, resolve } from "node:path";
import { monotonicMs } from "../clock/monotonic.ts";
import { isDirectory } from "../files/list-names.ts";
import type { Environment } from "../settings/environment.ts";
import { programIn } from "./find-program.ts";

const [NOT_RUN, NOT_EXECUTABLE, NOT_FOUND, BY_SIGNAL] = [125, 126, 127, 128];

/** How long the last output of a command is waited for. */
const LAST_OUTPUT_MS = 500;

export interface CommandRun {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Environment;
  /** Where it runs, if that is not the current directory. */
  readonly directory?: string;
  /** Whether a terminal sends Ctrl-C to the command itself. */
  readonly hasTerminal: boolean;
  /** Called with what the command prints, while it is passed on. Without it the command writes to our streams itself. */
  readonly onOutput?: (stream: "output" | "errors", bytes: Uint8Array) => void;
}

export interface CommandEnd {
  readonly code: number;
  /** Why the command did not start; null if it did. */
  readonly problem: string | null;
}

export function runCommand({ program, args, env, directory, hasTerminal, onOutput }: CommandRun): Promise<CommandEnd> {
  // The system would say of the program what is true of the directory.
  if (directory !== undefined && !isDirectory(directory)) {
    return Promise.resolve({ code: NOT_RUN, problem: `There is no directory ${directory}.` });
  }
  const { spawn } = process.getBuiltinModule("node:child_process");
  const { constants } = process.getBuiltinModule("node:os");
  return new Promise((done) => {
    // Before it starts: the command may be answered with a signal before this process goes on.
    const passOn = (signal: NodeJS.Signals) => void child.kill(signal);
    // A terminal sends Ctrl-C to all of its programs. The command decides what it means, and we wait for it.
    const onInterrupt = (signal: NodeJS.Signals) => (hasTerminal ? undefined : passOn(signal));
    process.on("SIGINT", onInterrupt).on("SIGQUIT", onInterrupt).on("SIGTERM", passOn).on("SIGHUP", passOn);
    const stdio = onOutput ? (["inherit", "pipe", "pipe"] as const) : "inherit";
    const child: ChildProcess = spawn(program, [...args], { stdio: stdio as "inherit", env, cwd: directory });
    const finish = (code: number, problem: string | null = null) => {
      process.off("SIGINT", onInterrupt).off("SIGQUIT", onInterrupt).off("SIGTERM", passOn).off("SIGHUP", passOn);
      done({ code, problem });
    };
    child.stdout?.on("data", (bytes: Buffer) => onOutput?.("output", bytes)).pipe(process.stdout, { end: false });
    child.stderr?.on("data", (bytes: Buffer) => onOutput?.("errors", bytes)).pipe(process.stderr, { end: false });
    child.once("error", (error: NodeJS.ErrnoException) => finish(...whyNot({ program, env, directory }, error)));
    child.once("exit", (code, signal) => {
      const ended = signal === null ? (code ?? NOT_RUN) : BY_SIGNAL + constants.signals[signal];
      // What it has printed is still in the pipes. A program that it left running may keep them open without end.
      const late = setTimeout(() => {
        child.stdout?.destroy();
        child.stderr?.destroy();
        finish(ended);
      }, LAST_OUTPUT_MS);
      child.once("close", () => {
        clearTimeout(late);
        finish(ended);
      });
    });
  });
}

type Started = Pick<CommandRun, "program" | "env"> & { readonly directory: string | undefined };

/** The system says ENOENT for an interpreter, too. */
function whyNot({ program, env, directory }: Started, { code, message }: NodeJS.ErrnoException): [number, string] {
  if (code === "EACCES") return [NOT_EXECUTABLE, `${program} is not executable.`];
  if (code !== "ENOENT") return [NOT_RUN, `${program} could not be started: ${message}.`];
  const path = resolve(directory ?? ".", program);
  const found = program.includes("/")
    ? programIn([dirname(path)], basename(path))
    : programIn(env["PATH"]?.split(":") ?? [], program);
  return found === null
    ? [NOT_FOUND, `${program} was not found.`]
    : [NOT_EXECUTABLE, `${found} is there, but the program that runs it is missing; its first line may name it.`];
}

export interface WatchedEnd extends CommandEnd {
  readonly durationMs: number;
  /** Of both streams, each for itself: in which order their parts come is chance. */
  readonly outputDigest: string;
}

/** The same, and what can be said about the run afterwards. */
export async function runWatched(run: Omit<CommandRun, "onOutput">): Promise<WatchedEnd> {
  const { createHash } = process.getBuiltinModule("node:crypto");
  const digests = { output: createHash("sha256"), errors: createHash("sha256") };
  const startedMs = monotonicMs();
  const end = await runCommand({ ...run, onOutput: (stream, bytes) => void digests[stream].update(bytes) });
  const outputDigest = `${digests.output.digest("hex")}.${digests.errors.digest("hex")}`;
  return { ...end, durationMs: Math.round(monotonicMs() - startedMs), outputDigest };
}
