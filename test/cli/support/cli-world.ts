/**
 * A user's machine in a temporary directory: a home, a data directory, a checkout, and the built `tt` run in it as
 * a real process with a clean environment. Whatever any command prints is kept, and when the test is over it is
 * searched for secrets (see secrets.ts).
 */
import { type SpawnOptions, spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { inject, onTestFinished } from "vitest";
import { type AtEnd, quickDirectory } from "../../support/temporary-directory.ts";
import { Running, recordsIn } from "./running.ts";
import { SecretWatch } from "./secrets.ts";

export interface RunOptions {
  /** Who runs it, by TT_AGENT_ID. Without it nobody says who is calling. */
  readonly as?: string;
  /** The agent that other evidence shows, for the search for secrets. */
  readonly who?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  /** What it reads from standard input; nothing by default, and null leaves it open. */
  readonly input?: string | Buffer | null;
  /** A program that starts the rest of its line, such as `sh -c`. */
  readonly through?: readonly string[];
}

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Standard output as one JSON object. */
  json(): Record<string, unknown>;
  /** Standard error as one JSON object. */
  error(): Record<string, unknown>;
}

/** Who a person at a terminal is. */
export const PERSON = `human:${userInfo().username}`;

type Words = string | readonly string[];

export class CliWorld {
  readonly root: string;
  readonly home: string;
  readonly data: string;
  readonly tree: string;
  /** The built `tt`. */
  readonly program: string;
  readonly #secrets: SecretWatch;
  readonly #running = new Set<Running>();

  /** `atEnd`: a world that several tests share ends later than the first of them. */
  constructor(program = inject("tt"), atEnd: AtEnd = onTestFinished) {
    this.program = program;
    this.root = quickDirectory(atEnd);
    this.home = this.directory("home");
    this.data = join(this.root, "data");
    this.tree = this.directory("tree");
    this.#secrets = new SecretWatch(join(this.data, "agents"));
    atEnd(() => this.#finish());
  }

  directory(name: string): string {
    const path = join(this.root, name);
    mkdirSync(path, { recursive: true });
    return path;
  }

  get database(): string {
    return join(this.data, "tt.db");
  }

  /** The secrets that the search looks for; a test of it must not be one that looks for nothing. */
  get leases(): readonly string[] {
    return this.#secrets.leases;
  }

  /** Nothing of the environment that the tests themselves run in, but the path to programs. */
  env(more: RunOptions["env"] = {}): Record<string, string> {
    const all = {
      PATH: process.env["PATH"],
      HOME: this.home,
      TT_DATA_DIR: this.data,
      LANG: "C.UTF-8",
      TZ: "UTC",
      // A busy machine must not silence hooks. A test of the deadline itself unsets it.
      TT_HOOK_DEADLINE_MS: "30000",
      ...more,
    };
    return Object.fromEntries(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined));
  }

  start(words: Words, options: RunOptions = {}, stdio: SpawnOptions["stdio"] = "pipe"): Running {
    const [program = "", ...line] = [...(options.through ?? []), process.execPath, this.program, ...wordsOf(words)];
    return this.startProgram(program, line, options, stdio);
  }

  startProgram(
    program: string,
    args: readonly string[],
    options: RunOptions = {},
    stdio: SpawnOptions["stdio"] = "pipe",
  ): Running {
    const name = options.as === undefined ? {} : { TT_AGENT_ID: options.as };
    const child = spawn(program, args, {
      cwd: options.cwd ?? this.tree,
      env: this.env({ ...name, ...options.env }),
      stdio,
      // A session of its own, so that it never matters who started the tests.
      detached: true,
    });
    const running = new Running(child);
    this.#running.add(running);
    void this.#watch(running, options.as ?? options.who ?? "nobody", args.join(" "));
    if (options.input !== null) child.stdin?.end(options.input ?? "");
    return running;
  }

  async tt(words: Words, options: RunOptions = {}): Promise<Outcome> {
    const { code, stdout, stderr } = await this.start(words, options).ended;
    return { code, stdout, stderr, json: () => onlyRecord(stdout), error: () => onlyRecord(stderr) };
  }

  /** For the steps before the one that a test is about. */
  async done(words: Words, options: RunOptions = {}): Promise<Outcome> {
    const outcome = await this.tt(words, options);
    if (outcome.code !== 0)
      throw new Error(`tt ${wordsOf(words).join(" ")} ended with ${outcome.code}: ${outcome.stderr}`);
    return outcome;
  }

  /** Runs the command again and again until it tells what the test waits for. */
  async until(words: Words, condition: (outcome: Outcome) => boolean, options: RunOptions = {}): Promise<Outcome> {
    for (;;) {
      const outcome = await this.tt(words, options);
      if (condition(outcome)) return outcome;
    }
  }

  /** Until the agent has its place in the queue. */
  untilWaiting(agent: string): Promise<void> {
    return this.#untilMember(agent, "waiting");
  }

  /** Until others see that it receives. */
  untilReachable(agent: string): Promise<void> {
    return this.#untilMember(agent, "reachable");
  }

  async #untilMember(agent: string, trait: string): Promise<void> {
    await this.until("state --json", (outcome) =>
      membersIn(outcome).some((member) => member["agent_id"] === agent && member[trait] === true),
    );
  }

  async #watch(running: Running, who: string, line: string): Promise<void> {
    try {
      const { stdout, stderr } = await running.ended;
      this.#secrets.keep({ who, line, text: `${stdout}${stderr}` });
    } catch {
      // It could not be started, and the test that started it learns so.
    } finally {
      this.#running.delete(running);
    }
  }

  async #finish(): Promise<void> {
    const left = [...this.#running];
    for (const running of left) {
      running.kill("SIGCONT");
      running.kill("SIGKILL");
    }
    await Promise.allSettled(left.map(({ ended }) => ended));
    this.#secrets.check();
  }
}

/**
 * The command as a person runs it: on a terminal, with nobody's name given. What both streams show comes as one
 * text, with the terminal's line ends made plain.
 */
export async function asPerson(world: CliWorld, words: Words, options: RunOptions = {}): Promise<Outcome> {
  const line = [process.execPath, world.program, ...wordsOf(words)].map(quoted).join(" ");
  const env = { TERM: "xterm-256color", ...options.env };
  const terminal = world.startProgram("script", ["-qfec", line, "/dev/null"], { who: PERSON, ...options, env });
  const { code, stdout, stderr } = await terminal.ended;
  const shown = stdout.replaceAll("\r\n", "\n");
  return { code, stdout: shown, stderr, json: () => onlyRecord(shown), error: () => onlyRecord(shown) };
}

/** A person changes the policy; the options say under which name, for what the log shows. */
export async function changePolicy(world: CliWorld, changes: string, options: RunOptions = {}): Promise<void> {
  const { code, stdout } = await asPerson(world, `policy ${changes}`, options);
  if (code !== 0) throw new Error(`the policy was not changed: ${stdout}`);
}

/** The mode alone: git's hooks stay as they are. */
export async function setGuard(world: CliWorld, mode: string, options: RunOptions = {}): Promise<void> {
  const { code, stdout } = await asPerson(world, `guard ${mode} --no-git`, options);
  if (code !== 0) throw new Error(`the guard was not set: ${stdout}`);
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

function membersIn({ stdout }: Outcome): readonly Record<string, unknown>[] {
  return stdout === "" ? [] : (JSON.parse(stdout) as { members: Record<string, unknown>[] }).members;
}

function wordsOf(words: Words): readonly string[] {
  return typeof words === "string" ? words.split(" ").filter((word) => word !== "") : words;
}

function onlyRecord(text: string): Record<string, unknown> {
  const records = recordsIn(text);
  if (records.length !== 1 || !records[0]) throw new Error(`not one JSON object: ${text}`);
  return records[0];
}

/** A room in which a:1 and b:2 have joined, and nothing else has happened. */
export async function worldOfTwo(): Promise<CliWorld> {
  const world = new CliWorld();
  await world.done("join", { as: "a:1" });
  await world.done("join", { as: "b:2" });
  return world;
}
