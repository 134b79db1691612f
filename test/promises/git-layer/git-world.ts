/**
 * A repository with a room, two agents in it, and git's hooks as `tt guard` sets them up. Both agents are processes with
 * a harness's name that run git in their shells.
 */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import type { GitLayer } from "../../../src/engine/ports/git-layer.ts";
import { gitGuardScript } from "../../../src/harness/hook-script.ts";
import { gitGuardIn, stateDirectoryIn } from "../../../src/platform/files/install-records.ts";
import { openGitLayer } from "../../../src/platform/git/git-layer.ts";
import type { RunOptions } from "../../cli/support/cli-world.ts";
import { setGuard } from "../../cli/support/cli-world.ts";
import { type Harness, type HookRun, HookWorld } from "../../hook/support/hook-world.ts";

export const WRITER = { CLAUDECODE: "1", CLAUDE_CODE_SESSION_ID: "writer-1" };
export const HOLDER = { CODEX_SESSION_ID: "holder-1", CODEX_THREAD_ID: "holder-1" };

/** The repository on `main` has two commits and one that only `side` has; a bare copy of it is the remote `origin`. */
const MAKE = `
  git init -q -b main
  echo one >first.txt && mkdir -p sub && echo below >sub/below.txt && git add . && git commit -qm first
  echo two >second.txt && git add . && git commit -qm second
  git switch -qc side HEAD~1 && echo side >side.txt && git add . && git commit -qm side
  git format-patch -q -1 --stdout >../side.patch
  git switch -q main && git branch old && git tag old-tag
  git clone -q --bare . ../origin.git && git remote add origin ../origin.git && git fetch -q origin
`;

const AUTHOR = {
  GIT_AUTHOR_NAME: "A",
  GIT_AUTHOR_EMAIL: "a@example.org",
  GIT_COMMITTER_NAME: "A",
  GIT_COMMITTER_EMAIL: "a@example.org",
};

export class GitWorld extends HookWorld {
  readonly git: string;
  readonly layer: GitLayer;
  readonly #template = join(this.root, "template");

  /** `git`: the directory of the git that is tested; null for the installed one. */
  constructor(git: string | null) {
    super();
    this.git = git ?? "";
    const hookProgram = join(dirname(this.program), "hook.cjs");
    const state = stateDirectoryIn(this.home);
    this.layer = openGitLayer({
      env: this.env(),
      program: gitGuardIn(state),
      script: gitGuardScript({ version: "0.0.0", node: process.execPath, hookProgram, dataDir: this.data }),
      stateDirectory: state,
    });
  }

  override env(more: RunOptions["env"] = {}): Record<string, string> {
    const { PATH = "", ...env } = super.env({ ...AUTHOR, ...more });
    return { ...env, GIT_CONFIG_NOSYSTEM: "1", PATH: this.git ? `${this.git}:${PATH}` : PATH };
  }

  /** What a person types in a terminal of the machine. */
  sh(
    line: string,
    { cwd = this.tree, env = {} }: Pick<RunOptions, "cwd" | "env"> = {},
  ): { code: number; text: string } {
    const run = spawnSync("setsid", ["-w", "/bin/sh", "-c", line], { cwd, env: this.env(env), encoding: "utf8" });
    return { code: run.status ?? -1, text: `${run.stdout}${run.stderr}` };
  }

  must(line: string, cwd = this.tree): string {
    const { code, text } = this.sh(line, { cwd });
    if (code !== 0) throw new Error(`${line} ended with ${code}: ${text}`);
    return text;
  }

  makeRepository(): void {
    this.must(MAKE);
  }

  /** From the log of the room, oldest first. */
  async eventsOf(type: string): Promise<readonly Record<string, unknown>[]> {
    const { stdout } = await this.tt(`events --event ${type} --json`, { as: "reader:1" });
    return (JSON.parse(stdout) as { events: Record<string, unknown>[] }).events;
  }

  async installed(path = this.tree): Promise<void> {
    const plan = await this.layer.install(path);
    expect(plan).toMatchObject({ holes: expect.any(Array), writes: expect.any(Array) });
  }

  keepTemplate(): void {
    for (const name of ["tree", "origin.git"]) cpSync(join(this.root, name), join(this.#template, name), COPY);
  }

  /** The repository as it was when the template was kept. */
  restore(): void {
    for (const name of ["tree", "origin.git"]) {
      const place = join(this.root, name);
      mkdirSync(place, { recursive: true });
      for (const file of readdirSync(place)) rmSync(join(place, file), { recursive: true, force: true });
      cpSync(join(this.#template, name), place, COPY);
    }
    for (const file of readdirSync(this.root).filter((name) => name.startsWith("made-")))
      rmSync(join(this.root, file), { recursive: true, force: true });
    this.must("git update-index -q --refresh");
  }
}

const COPY = { recursive: true, verbatimSymlinks: true, preserveTimestamps: true };

/** The writer and the holder. The holder has the stick, and the room is guarded as the mode says. */
export async function agentsIn(
  world: GitWorld,
  mode: string,
  { isHeld = true } = {},
): Promise<{ readonly writer: Harness; readonly holder: Harness }> {
  const [writer, holder] = [world.harness("claude"), world.harness("codex")];
  await ok(writer.tt("join", "writer-1"));
  await ok(holder.tt(isHeld ? "try" : "join", "holder-1"));
  await setGuard(world, mode);
  return { writer, holder };
}

/** A line in the shell of an agent's session. What git prints is on standard error, and nothing on standard output. */
export function typed(agent: Harness, line: string, session: typeof WRITER | typeof HOLDER): Promise<HookRun> {
  return agent.run(`{ ${line}\n} >&2`, "", session);
}

async function ok(run: Promise<HookRun>): Promise<void> {
  const { code, stdout, stderr } = await run;
  if (code !== 0) throw new Error(`${stdout}${stderr}`);
}

/** What git writes even if nothing comes of it: objects that nothing names, and texts for the next command. */
const NOT_COMPARED = /^\.git\/(?:objects\/|COMMIT_EDITMSG|FETCH_HEAD|rebase-apply\/)/;

export type Snapshot = Readonly<Record<string, string>>;

/** The working tree, and what git knows of it. */
export function snapshot({ tree }: GitWorld): Snapshot {
  return filesIn(tree);
}

export function differences(before: Snapshot, after: Snapshot): readonly string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((path) => before[path] !== after[path])
    .map((path) => `${path} was ${shown(before[path])} and is ${shown(after[path])}`);
}

function shown(content = "absent"): string {
  return JSON.stringify(content.slice(-80));
}

/** Every file with its mode and content, the working tree and what git knows of it. */
export function filesIn(tree: string, below = ""): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(join(tree, below)).toSorted()) {
    const path = below === "" ? name : `${below}/${name}`;
    const stats = lstatSync(join(tree, path));
    if (stats.isDirectory()) Object.assign(found, filesIn(tree, path));
    else if (!NOT_COMPARED.test(path))
      found[path] = `${(stats.mode & 0o7777).toString(8)} ${contentOf(join(tree, path))}`;
  }
  return found;
}

function contentOf(path: string): string {
  if (lstatSync(path).isSymbolicLink()) return `-> ${readlinkSync(path)}`;
  return readFileSync(path, "latin1");
}

export function writeProgram(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, 0o755);
}
