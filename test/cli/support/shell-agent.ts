/** An agent as `tt` meets it: a process with a harness's name, that runs commands in its own shell. */
import { chmodSync, copyFileSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { CliWorld, RunOptions } from "./cli-world.ts";
import type { Running } from "./running.ts";

export class ShellAgent {
  readonly #running: Running;
  readonly #answers: string;
  #lines = 0;

  constructor(world: CliWorld, name: string, env: NonNullable<RunOptions["env"]>) {
    const programs = world.directory("programs");
    const shell = join(programs, name);
    copyFileSync("/bin/sh", shell);
    chmodSync(shell, 0o755);
    this.#answers = world.directory(`${name}-answers`);
    this.#running = world.startProgram(shell, [], { who: name, env: { ...env, PATH: pathWithTt(world) }, input: null });
  }

  /** What the line printed. */
  async run(line: string): Promise<string> {
    this.#lines += 1;
    const [file, mark] = [join(this.#answers, String(this.#lines)), `done ${this.#lines} `];
    this.#running.child.stdin?.write(`${line} >'${file}' 2>&1; echo "${mark}$?"\n`);
    await this.#running.until(({ stdout }) => stdout.includes(mark) && stdout.endsWith("\n"));
    const code = this.#running.stdout.split(mark)[1]?.trim();
    const text = readFileSync(file, "utf8");
    if (code !== "0") throw new Error(`${line} ended with ${code}: ${text}`);
    return text;
  }

  async die(): Promise<void> {
    this.#running.kill("SIGKILL");
    await this.#running.ended;
  }
}

/** Where a shell finds the program under test by its name. */
export function pathWithTt(world: CliWorld): string {
  const programs = world.directory("programs");
  try {
    symlinkSync(world.program, join(programs, "tt"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  return `${programs}:${process.env["PATH"]}`;
}
