/**
 * A user's machine on which real harnesses run, with one home, one project and our program, against a scripted model.
 * They run in a network of their own with nothing in it but loopback, where the machine allows that.
 */
import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { inject, onTestFinished } from "vitest";
import { type ModelTurn, scriptNameIn } from "../../../src/prove/rules/script.ts";
import type { RequestBody } from "../../../src/prove/rules/wires/wire.ts";
import type { Bundle } from "../../support/fixture.ts";
import { endEverything, killProgram } from "./end-everything.ts";
import { cache, programOf } from "./installed.ts";
import type { Scripts } from "./script.ts";
import { until } from "./until.ts";
import type { HarnessName } from "./wires/index.ts";

/** Starts the rest of its line in a network that leads nowhere. */
const ALONE = ["unshare", "-rn", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"];
const canBeAlone = spawnSync(ALONE[0] ?? "", [...ALONE.slice(1), "true"]).status === 0;

/** Codex runs hooks of files without its user's trust by this flag, which `tt start` must do without. */
const UNASKED = "--dangerously-bypass-hook-trust";

interface LoggedRequest {
  readonly harness: HarnessName;
  readonly turns: readonly ModelTurn[];
  readonly body: RequestBody;
}

export interface Mark {
  readonly path: string;
  readonly set: (text?: string) => void;
  readonly isThere: () => Promise<void>;
}

export class HarnessWorld {
  /** Not in the system's temporary directory, in which Codex's sandbox may write anyway. */
  readonly root: string;
  readonly home: string;
  /** Where our program keeps its data unless it is told otherwise. */
  readonly data: string;
  readonly tree: string;
  readonly #model: Bundle;
  readonly #tt = inject("tt");
  /** The words by which a harness is started here. */
  wordsFor = (command: readonly string[]) => command;
  readonly #scripts: Record<string, Scripts[string]> = {};

  constructor(model: Bundle) {
    mkdirSync(cache, { recursive: true });
    this.root = mkdtempSync(join(cache, "world-"));
    this.home = this.directory("home");
    onTestFinished(() => {
      endEverything(this.home);
      if (!process.env["TT_KEEP"]) rmSync(this.root, { recursive: true, force: true });
    });
    this.#model = model;
    this.data = join(this.home, ".local/share/tt");
    this.tree = this.directory("tree");
    this.script({});
    spawnSync("git", ["init", "-q"], { cwd: this.tree });
  }

  directory(name: string): string {
    const path = join(this.root, name);
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return path;
  }

  write(name: string, content: string | object): string {
    const path = join(this.root, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
    return path;
  }

  /** A file by which a test and a process that it has started tell each other that it is time. */
  mark(name: string): Mark {
    const path = join(this.directory("tree/.marks"), name);
    return {
      path,
      set: (text = "") => {
        // It is there whole or not at all.
        writeFileSync(`${path}.new`, text);
        renameSync(`${path}.new`, path);
      },
      isThere: () => until(`${name} is there`, () => existsSync(path)),
    };
  }

  /** Waits until something is so. */
  async until(what: string, isSo: () => boolean, seen?: () => string): Promise<void> {
    await until(what, isSo, seen);
  }

  /** Adds scripts that a prompt can name. */
  script(scripts: Scripts): void {
    Object.assign(this.#scripts, scripts);
    this.write("scripts.json", this.#scripts);
  }

  /** The line that runs `tt` in a shell of a harness. */
  tt(words: string): string {
    return `'${process.execPath}' '${this.#tt}' ${words}`;
  }

  /** What a harness wrote to its model, oldest first. */
  requests(harness: HarnessName): readonly LoggedRequest[] {
    const log = join(this.root, "requests.log");
    // What stands behind the last end of a line is being written right now.
    const lines = existsSync(log) ? readFileSync(log, "utf8").split("\n").slice(0, -1) : [];
    const requests = lines.map((line) => JSON.parse(line) as LoggedRequest);
    return requests.filter((request) => request.harness === harness);
  }

  /** The whole of each request that belongs to a script, oldest first. */
  requestsOf(harness: HarnessName, script: string): readonly string[] {
    const theirs = this.requests(harness).filter(({ turns }) => scriptNameIn(turns) === script);
    return theirs.map(({ body }) => JSON.stringify(body));
  }

  /** Whether a model was shown these words, whichever way. */
  isTold(harness: HarnessName, words: string): boolean {
    return this.requests(harness).some(({ body }) => JSON.stringify(body).includes(words));
  }

  /** What the tools of a script answered, oldest first, as the model was told. */
  answers(harness: HarnessName, script: string): readonly string[] {
    const request = this.requests(harness).findLast(({ turns }) => scriptNameIn(turns) === script);
    const turns = request?.turns ?? [];
    const prompt = turns.findLastIndex((turn) => scriptNameIn([turn]) === script);
    return turns.slice(prompt).flatMap(({ kind, text }) => (kind === "result" ? [text] : []));
  }

  hasBegun(harness: HarnessName, script: string): boolean {
    return this.requests(harness).some(({ turns }) => scriptNameIn(turns) === script);
  }

  /** Whether the model was asked for all steps of a script and told what the last of them gave. */
  isDone(harness: HarnessName, script: string): boolean {
    const steps = this.#scripts[script]?.length ?? 0;
    return this.hasBegun(harness, script) && this.answers(harness, script).length >= steps;
  }

  /** From now on, the harness is started by `tt start`. */
  startByTt(harness: HarnessName): void {
    const path = this.write(`bin/${harness}`, `#!/bin/sh\nexec ${programOf(harness).join(" ")} "$@"\n`);
    chmodSync(path, 0o755);
    const own = programOf(harness);
    this.wordsFor = (command) =>
      own.every((word, index) => command[index] === word)
        ? [
            process.execPath,
            this.#tt,
            "start",
            harness,
            ...command.slice(own.length).filter((word) => word !== UNASKED),
          ]
        : command;
  }

  /** Runs a program beside the model, in the project. */
  run(command: readonly string[], env: Readonly<Record<string, string>>) {
    const files = [join(this.root, "scripts.json"), join(this.root, "requests.log")];
    const model = [process.execPath, this.#model.file, ...files, ...this.wordsFor(command)];
    const [program = "", ...words] = canBeAlone ? [...ALONE, ...model] : model;
    return spawn(program, words, {
      cwd: this.tree,
      env: { ...this.environment, ...env },
      stdio: ["pipe", "pipe", "pipe"],
      detached: true,
    });
  }

  /** Kills a harness that gets no time to say anything about it. */
  async kill(harness: HarnessName): Promise<void> {
    await killProgram(this.home, programOf(harness));
  }

  /** A user's environment, and nothing of the person who runs the tests. */
  get environment(): Readonly<Record<string, string>> {
    return {
      PATH: `${join(this.root, "bin")}:${process.env["PATH"] ?? ""}`,
      HOME: this.home,
      LANG: "C.UTF-8",
      TERM: "xterm-256color",
      SHELL: "/bin/bash",
      USER: "root",
      // As long as the harnesses' own limit for a hook lets it be.
      TT_HOOK_DEADLINE_MS: "2500",
    };
  }
}
