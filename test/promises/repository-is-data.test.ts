/**
 * Goal: nothing that a repository contains or configures makes us run a program.
 * Method: every key of git's configuration names a canary, at the top level and in every repository around it, while the
 * working tree is compared and the project gets its name. Then whole commands, hooks and a server work in such trees.
 * A control shows that plain git runs the canaries.
 */
import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { createTurnRecord } from "../../src/platform/git/record/turn-record.ts";
import { createWorkingTree } from "../../src/platform/git/working-tree.ts";
import { createWorkspace } from "../../src/platform/git/workspace.ts";
import { isSnapshot, type TreeSnapshot } from "../../src/stick/rules/snapshot.ts";
import { CliWorld } from "../cli/support/cli-world.ts";
import { HookWorld } from "../hook/support/hook-world.ts";
import { McpWorld } from "../mcp/support/mcp-world.ts";
import { git, makeRepository } from "../support/git-repository.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { Canaries } from "./hostile-repository/canary.ts";
import { type HostileKey, hostileKeys } from "./hostile-repository/config-keys.ts";
import { embed, type HostilePlace, HostileRepository } from "./hostile-repository/hostile-repository.ts";
import { figure, verifies } from "./verifies.ts";

/** A busy machine must not end a question before it could do harm. */
const PATIENCE_MS = 60_000;
const WORLDS = 3;

class World {
  readonly root = temporaryDirectory();
  readonly canaries = new Canaries(this.root);
  readonly keys = hostileKeys(this.root, this.canaries);
  readonly repository = new HostileRepository(this.root, this.canaries);
  readonly #scratch = [join(this.root, "scratch")];
  readonly #tree = createWorkingTree({ home: null, scratch: this.#scratch, budgetMs: PATIENCE_MS });

  readonly #snapshots = new Map<string, TreeSnapshot>();
  #count = 0;

  constructor() {
    for (const name of ["scratch", "data"]) mkdirSync(join(this.root, name), { mode: 0o700 });
    // Git itself ran some of them while the repository was made.
    this.canaries.take();
  }

  readonly turnRecord = createTurnRecord({
    dataDir: join(this.root, "data"),
    home: null,
    scratch: this.#scratch,
  });

  /** Takes a snapshot, and every fourth time compares it with the one before and restores a file of that. */
  async record(path: string, isWhole = this.#count % 4 === 0): Promise<void> {
    this.#count += 1;
    const before = this.#snapshots.get(path);
    appendFileSync(join(path.endsWith("/docs/inner") ? join(path, "wt") : path, "new.txt"), `${this.#count}\n`);
    const outcome = await this.turnRecord.snapshot(path, { budgetMs: PATIENCE_MS });
    // An embedded repository has its tree elsewhere, and so has one whose configuration names another tree.
    if (!isSnapshot(outcome)) return expect([path, outcome.skipped]).toEqual([path, "not_a_repository"]);
    this.#snapshots.set(path, outcome);
    if (before === undefined || !isWhole) return;
    const { treeId: from } = before;
    const changes = await this.turnRecord.changes(path, from, outcome.treeId);
    expect([path, changes?.files.length]).not.toEqual([path, 0]);
    expect(await this.turnRecord.diff(path, from, outcome.treeId)).not.toBe(null);
    const wanted = { paths: ["new.txt"], force: true, mayWrite: async () => true };
    const answer = await this.turnRecord.restore({ roomId: "r", path }, before, wanted);
    expect(answer).toMatchObject({ restored: ["new.txt"] });
  }

  /** Asks git what we ever ask it about a place, and says which canaries were run. */
  async ask(key: string, { path }: HostilePlace): Promise<readonly string[]> {
    const workspace = createWorkspace({ home: null, shared: true, scratch: this.#scratch });
    const [evidence] = await Promise.all([
      this.#tree.evidence(path, this.#tree.head(path)),
      workspace.locate(path),
      this.record(path),
    ]);
    const run = this.canaries.take();
    if (run.length > 0) return run;
    // Otherwise nothing was tried. Of a repository with its tree elsewhere only the head is told.
    const isElsewhere = path.endsWith("/docs/inner") || key.includes("core.worktree");
    expect([key, path, evidence?.dirty]).toEqual([key, path, isElsewhere ? null : true]);
    return run;
  }
}

/** Every key in all configurations. One that names a program is alone there, and every place is asked about. */
async function tryKeys(world: World, keys: readonly HostileKey[]): Promise<readonly string[]> {
  const run: string[] = [];
  const { places } = world.repository;
  for (const group of groupsOf(keys)) {
    world.repository.configure(group.map(({ text }) => text).join(""));
    for (const place of group[0]?.namesProgram ? places : places.slice(0, 1)) {
      const name = group.map((key) => key.name).join(" ");
      for (const canary of await world.ask(name, place)) run.push(`${canary} in ${place.name}`);
    }
  }
  return run;
}

function groupsOf(keys: readonly HostileKey[]): readonly (readonly HostileKey[])[] {
  const size = figure(16, 1);
  const others = keys.filter(({ namesProgram }) => !namesProgram);
  const groups = Array.from({ length: Math.ceil(others.length / size) }, (_, at) =>
    others.slice(at * size, (at + 1) * size),
  );
  return [...groups, ...keys.filter(({ namesProgram }) => namesProgram).map((key) => [key])];
}

verifies("X5", "every key of git's configuration, in every repository around", async () => {
  const worlds = Array.from({ length: WORLDS }, () => new World());
  const runs = worlds.map((world, at) =>
    tryKeys(
      world,
      world.keys.filter((_, index) => index % WORLDS === at),
    ),
  );
  expect(worlds[0]?.keys.length).toBeGreaterThan(500);
  expect((await Promise.all(runs)).flat()).toEqual([]);
});

verifies("X5", "all keys at once", async () => {
  const world = new World();
  const texts = world.keys.filter(({ name }) => name !== "core.worktree").map(({ text }) => text);
  world.repository.configure(texts.join(""));
  for (const place of world.repository.places) {
    expect(await world.ask("all", place)).toEqual([]);
    await world.record(place.path, true);
    expect(world.canaries.take()).toEqual([]);
  }
});

/** The entries of the tree as it is now, as git lists them. */
async function entriesOf(world: World, path: string, record: string): Promise<string> {
  const outcome = await world.turnRecord.snapshot(path, { budgetMs: PATIENCE_MS });
  const env = { ...process.env, GIT_DIR: join(path, ".git"), GIT_OBJECT_DIRECTORY: join(record, "objects") };
  const args = ["-c", "core.fsmonitor=false", "ls-tree", isSnapshot(outcome) ? outcome.treeId : ""];
  return execFileSync("git", args, { env, encoding: "utf8" });
}

verifies("X5", "a record in the data directory that an agent in a sandbox has prepared", async () => {
  const world = new World();
  const [top, , nested] = world.repository.places as [HostilePlace, HostilePlace, HostilePlace];
  const names = ["core.fsmonitor", "filter.canary.clean", "filter.canary.process", "diff.external", "core.hooksPath"];
  const texts = world.keys.filter(({ name }) => names.includes(name)).map(({ text }) => text);
  appendFileSync(nested.config, texts.join(""));
  await world.record(top.path, true);
  const [name = ""] = readdirSync(join(world.root, "data/record"));
  const record = join(world.root, "data/record", name);
  const plant = () => {
    writeFileSync(join(record, "config"), texts.join(""));
    writeFileSync(join(record, "HEAD"), "ref: refs/heads/main\n");
    for (const directory of ["refs", "info", "objects/info"]) mkdirSync(join(record, directory), { recursive: true });
    writeFileSync(join(record, "info/attributes"), "* filter=canary diff=canary\n");
    writeFileSync(join(record, "objects/info/alternates"), `${join(top.path, ".git/objects")}\n`);
    world.canaries.hooks(join(record, "hooks"), "hook of the record");
    // An index with a gitlink would make git start itself in that repository, under its configuration.
    for (const index of readdirSync(record).filter((one) => one.startsWith("index-"))) {
      const env = { ...process.env, GIT_INDEX_FILE: join(record, index) };
      const id = git(nested.path, "-c", "core.fsmonitor=false", "rev-parse", "HEAD");
      const args = ["update-index", "--add", "--cacheinfo", `160000,${id},nested`];
      execFileSync("git", ["-c", "core.fsmonitor=false", ...args], { cwd: top.path, env });
    }
    world.canaries.take();
  };
  for (let round = 0; round < 3; round += 1) {
    plant();
    await world.record(top.path, true);
    expect(world.canaries.take()).toEqual([]);
    expect(existsSync(join(record, "objects/info"))).toBe(false);
    expect(await entriesOf(world, top.path, record)).not.toContain("160000");
  }
  await world.turnRecord.prune({ maxBytes: 0, keepDays: 30 });
  expect(world.canaries.take()).toEqual([]);
  plant();
  plainGit(record, "--git-dir=. --work-tree=../../../app status", "--git-dir=. update-ref refs/heads/x HEAD");
  expect(world.canaries.take()).not.toEqual([]);
});

/** What a person's git does there; whether it succeeds does not matter. */
function plainGit(path: string, ...lines: readonly string[]): void {
  for (const line of lines) {
    try {
      execFileSync("git", line.split(" "), { cwd: path, stdio: "ignore" });
    } catch {
      // It does not like what a canary answers.
    }
  }
}

verifies("X5", "plain git runs the canaries, so they would have been heard", () => {
  const world = new World();
  const heard = (name: string, places: readonly HostilePlace[]) => {
    const key = world.keys.find((candidate) => candidate.name === name);
    world.repository.configure(key?.text ?? "", places);
    plainGit(world.repository.top, "status", "diff");
    return [name, ...world.canaries.take().filter((canary) => !canary.startsWith("hook of"))];
  };
  const [top, submodule] = world.repository.places as [HostilePlace, HostilePlace];
  // With a command in this file newer versions of git refuse to go on.
  git(top.path, "config", "--file", ".gitmodules", "--unset", "submodule.sub.update");
  for (const [name, listed = name] of [
    ["core.fsmonitor"],
    ["filter.canary.clean", "filter.<driver>.clean"],
    ["filter.canary.process", "filter.<driver>.process"],
    ["diff.external"],
    ["diff.canary.textconv", "diff.<driver>.textconv"],
    ["diff.canary.command", "diff.<driver>.command"],
  ] as const) {
    expect(heard(name, [top])).toEqual([name, listed]);
  }
  expect(heard("core.fsmonitor", [submodule])).toEqual(["core.fsmonitor", "core.fsmonitor"]);
  expect(heard("include.path", [top]).length).toBeGreaterThan(1);
  // A hook that runs when the index is refreshed.
  world.repository.configure("");
  plainGit(top.path, "update-index --force-write-index");
  expect(world.canaries.take().filter((canary) => canary.endsWith("post-index-change"))).not.toEqual([]);
});

const HANDOFF = ["--status", "parser done", "--next-action", "write the tests"];

/** Every command that has to do with a tree, as two agents run them. */
async function workIn(world: CliWorld, cwd: string, env: Readonly<Record<string, string>> = {}): Promise<void> {
  const [a, b] = ["a:1", "b:2"].map((as) => ({ as, cwd, env }));
  await world.done("join", b);
  await world.done("try", a);
  const waiting = world.start("wait", b).ended;
  await world.until("state --json", ({ stdout }) => stdout.includes('"waiting":true'), { cwd });
  await world.done(["pass", "b:2", ...HANDOFF], a);
  expect(await waiting).toMatchObject({ code: 0 });
  await world.done(["release", ...HANDOFF], b);
  for (const read of ["state", "peers", "list", "doctor"]) await world.tt(read, a);
}

verifies("X5", "a filter in the configuration of a repository, and commands in it", async () => {
  const world = new CliWorld();
  const tree = makeRepository(world.tree);
  const mark = join(world.root, "PWNED");
  writeFileSync(join(tree, ".gitattributes"), "* filter=x\n");
  git(tree, "config", "filter.x.clean", `touch ${mark}; cat`);
  writeFileSync(join(tree, "first.txt"), "two\n");
  await workIn(world, tree);
  expect(existsSync(mark)).toBe(false);
  plainGit(tree, "status");
  expect(existsSync(mark)).toBe(true);
});

verifies("X5", "a repository inside of the tree that a plain clone carried along, and commands in it", async () => {
  const world = new CliWorld();
  const origin = makeRepository(join(world.root, "origin"));
  const mark = join(world.root, "PWNED");
  const inner = embed(join(origin, "docs/inner"), world.root);
  appendFileSync(join(inner, "config"), `[filter "canary"]\n\tclean = "touch ${mark}; cat"\n`);
  git(origin, "add", ".");
  git(origin, "commit", "--quiet", "--message=docs");
  git(world.root, "clone", "--quiet", origin, "clone");
  const here = join(world.root, "clone/docs/inner");
  writeFileSync(join(here, "wt/first.txt"), "two\n");
  await workIn(world, here);
  await workIn(world, join(here, "wt"));
  expect(existsSync(mark)).toBe(false);
  plainGit(here, "status");
  expect(existsSync(mark)).toBe(true);
});

const NAMES = ["git", "tmux", "ps", "dd", "timeout", "codex", "claude", "node", "sh", "cat", "env", "mount", "sysctl"];

/** A tree whose files are named like programs, and a path that leads into it in every way. */
function treeOfPrograms(tree: string, canaries: Canaries): Record<string, string> {
  mkdirSync(join(tree, "node_modules/.bin"), { recursive: true });
  for (const directory of [tree, join(tree, "node_modules/.bin")]) {
    for (const name of NAMES) canaries.put(join(directory, name), name);
  }
  return { PATH: `:.:${join(tree, "node_modules/.bin")}:${process.env["PATH"]}:` };
}

verifies("X5", "files of the tree that are named like programs, on a path that leads there", async () => {
  const world = new HookWorld();
  const canaries = new Canaries(world.root);
  const tree = makeRepository(world.tree);
  const env = treeOfPrograms(tree, canaries);
  await workIn(world, tree, env);
  const payload = `${JSON.stringify({ session_id: "s-1", cwd: tree, hook_event_name: "x", prompt: "go" })}\n`;
  for (const name of ["claude", "codex", "gemini"] as const) {
    const harness = world.harness(name);
    const session = name === "claude" ? { CLAUDECODE: "1", CLAUDE_CODE_SESSION_ID: "s-1" } : {};
    for (const event of ["session-start", "prompt", "pre-tool", "post-tool", "stop"] as const) {
      const { code } = await harness.run(world.commandOf(name, event), payload, { ...env, ...session });
      expect([name, event, code]).toEqual([name, event, 0]);
    }
  }
  expect(canaries.take()).toEqual([]);
  execFileSync("/bin/sh", ["-c", "git status"], { cwd: tree, env, stdio: "ignore" });
  expect(canaries.take()).toEqual(["git"]);
});

verifies("X5", "a server that releases the stick in a hostile repository", async () => {
  const world = new McpWorld();
  const canaries = new Canaries(world.root);
  const keys = hostileKeys(world.root, canaries);
  const { top, places } = new HostileRepository(world.tree, canaries);
  canaries.take();
  const names = ["core.fsmonitor", "filter.canary.clean", "diff.external", "core.hooksPath", "diff.canary.textconv"];
  const text = keys.filter(({ name }) => names.includes(name)).map((key) => key.text);
  for (const { config } of places) appendFileSync(config, text.join(""));
  const server = await world.connect("a:1", { env: treeOfPrograms(top, canaries) });
  for (const { path } of places) {
    const { room_id } = await server.done("join_path", { context_path: path });
    const { lease_id, turn_id } = await server.done("wait_for_turn", { room_id });
    const handoff = { status: "the parser is done", next_action: "write its tests" };
    await server.done("release_stick", { room_id, lease_id, expected_turn_id: turn_id, handoff });
  }
  expect(canaries.take()).toEqual([]);
  plainGit(top, "status");
  expect(canaries.take()).toContain("core.fsmonitor");
});
