/**
 * A user's machine with harnesses on it that do nothing but run hooks, as the real ones do: a process of the harness's
 * name starts the command of its configuration in a shell, with the payload on standard input.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { onTestFinished } from "vitest";
import { hookScript } from "../../../src/harness/hook-script.ts";
import type { HookEvent } from "../../../src/hooks/rules/hook.ts";
import { CliWorld } from "../../cli/support/cli-world.ts";

export type HarnessName = "claude" | "codex" | "gemini" | "opencode";
/** `newcomer`: the harness of test/harness-fixtures. */
export type AnyHarness = HarnessName | "newcomer";

export interface HookRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** What the model would read: the context that was added, or the reason to go on. */
  readonly said: string;
}

/** The guard's hook has a script and a program in common with the others, and is no event of its own in a harness. */
export type AnyHook = HookEvent | "guard";

export type Payload = Readonly<Record<string, unknown>>;

const VARIABLES: Readonly<Record<AnyHarness, (sessionId: string) => Record<string, string>>> = {
  claude: (sessionId) => ({ CLAUDECODE: "1", CLAUDE_CODE_SESSION_ID: sessionId }),
  gemini: (sessionId) => ({ GEMINI_CLI: "1", GEMINI_SESSION_ID: sessionId }),
  codex: () => ({}),
  opencode: (sessionId) => ({ OPENCODE: "1", TT_OPENCODE_SESSION_ID: sessionId }),
  newcomer: (sessionId) => ({ NEWCOMER: "1", NEWCOMER_SESSION_ID: sessionId }),
};

/** What a command in the session's shell finds besides. */
const SHELL_VARIABLES: Readonly<Record<AnyHarness, (sessionId: string) => Record<string, string>>> = {
  ...VARIABLES,
  codex: (sessionId) => ({ CODEX_SESSION_ID: sessionId, CODEX_THREAD_ID: sessionId }),
};

/** What each harness calls the turn that an event belongs to. Gemini CLI has no name for it. */
const TURN_FIELDS: Readonly<Record<AnyHarness, string | null>> = {
  claude: "prompt_id",
  codex: "turn_id",
  gemini: null,
  opencode: "turn_id",
  newcomer: null,
};

export class HookWorld extends CliWorld {
  readonly script = join(this.data, "hooks/tt-hook");

  constructor(program?: string) {
    super(program);
    mkdirSync(dirname(this.script), { recursive: true, mode: 0o700 });
    chmodSync(this.data, 0o700);
    const hookProgram = join(dirname(this.program), "hook.cjs");
    const filled = hookScript({ version: "0.0.0", node: process.execPath, hookProgram, dataDir: this.data });
    writeFileSync(this.script, filled, { mode: 0o700 });
  }

  flagOf(sessionId: string): boolean {
    return existsSync(join(this.data, "flags", sessionId));
  }

  get log(): string {
    const path = join(this.data, "hook.log");
    return existsSync(path) ? readFileSync(path, "utf8") : "";
  }

  /** The line that stands in a harness's configuration. */
  commandOf(harness: AnyHarness, event: AnyHook): string {
    return `test ! -x '${this.script}' || exec '${this.script}' ${harness} ${event}`;
  }

  harness(name: AnyHarness, cwd = this.tree): Harness {
    return new Harness(this, name, cwd);
  }
}

/** One process of a harness. Its session's id is what the test says it is. */
export class Harness {
  readonly #world: HookWorld;
  readonly #name: AnyHarness;
  readonly #cwd: string;
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  #runs = 0;
  #turns = 0;

  constructor(world: HookWorld, name: AnyHarness, cwd: string) {
    this.#world = world;
    this.#name = name;
    this.#cwd = cwd;
    const program = join(world.directory("bin"), name);
    if (!existsSync(program)) symlinkSync("/bin/sh", program);
    this.#child = spawn(program, [], { cwd, env: world.env(), stdio: ["pipe", "pipe", "inherit"], detached: true });
    const lines: Interface = createInterface({ input: this.#child.stdout as NodeJS.ReadableStream });
    this.#lines = lines[Symbol.asyncIterator]();
    onTestFinished(() => this.kill());
  }

  get pid(): number {
    return this.#child.pid ?? -1;
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }

  /** Runs a command line as the harness would, with these variables and this input. */
  async run(command: string, input: string, env: Readonly<Record<string, string>> = {}): Promise<HookRun> {
    this.#runs += 1;
    const path = (what: string) => join(this.#world.root, `${this.pid}-${this.#runs}.${what}`);
    writeFileSync(path("in"), input);
    const words = Object.entries(env).map(([key, value]) => `${key}=${quoted(value)}`);
    const streams = `<${quoted(path("in"))} >${quoted(path("out"))} 2>${quoted(path("err"))}`;
    // Through a pipe, as harnesses do it: a file could be read in another way.
    const line = `cat ${quoted(path("in"))} | env ${words.join(" ")} /bin/sh -c ${quoted(command)} ${streams.replace(/^<\S+ /, "")}`;
    this.#child.stdin?.write(`${line}; echo "$?"\n`);
    const { value } = await this.#lines.next();
    const stdout = readFileSync(path("out"), "utf8");
    return { code: Number(value), stdout, stderr: readFileSync(path("err"), "utf8"), said: saidIn(stdout) };
  }

  /** Every prompt begins a turn of its own, unless the payload names another one. */
  hook(event: AnyHook, sessionId: string, more: Payload = {}): Promise<HookRun> {
    const common = { session_id: sessionId, transcript_path: `/t/${sessionId}.jsonl`, cwd: this.#cwd };
    const payload = { ...common, ...this.#turnOf(event, more), ...more };
    const input = `${JSON.stringify(payload)}\n`;
    return this.run(this.#world.commandOf(this.#name, event), input, VARIABLES[this.#name](sessionId));
  }

  #turnOf(event: AnyHook, named: Payload): Payload {
    const field = TURN_FIELDS[this.#name];
    if (event === "prompt" && !(field !== null && field in named)) this.#turns += 1;
    if (field === null || event === "session-start") return {};
    const answer = event === "stop" ? { last_assistant_message: "Done." } : {};
    return { [field]: this.turn, ...answer };
  }

  /** The name of the turn that goes on. */
  get turn(): string {
    return `turn-${this.pid}-${this.#turns}`;
  }

  /** Starts a command line below the harness that goes on by itself, and tells its process number. */
  async start(command: string): Promise<number> {
    this.#child.stdin?.write(`${command} & echo "$!"\n`);
    return Number((await this.#lines.next()).value);
  }

  /** A `tt` command in the session's shell. */
  tt(words: string, sessionId: string): Promise<HookRun> {
    const program = `${quoted(process.execPath)} ${quoted(this.#world.program)}`;
    return this.run(`${program} ${words}`, "", SHELL_VARIABLES[this.#name](sessionId));
  }
}

function saidIn(stdout: string): string {
  if (stdout === "") return "";
  const answer = JSON.parse(stdout) as {
    readonly reason?: string;
    readonly context?: string;
    readonly go_on?: string;
    readonly hookSpecificOutput?: { readonly additionalContext: string };
  };
  return answer.hookSpecificOutput?.additionalContext ?? answer.reason ?? answer.context ?? answer.go_on ?? "";
}

export function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
