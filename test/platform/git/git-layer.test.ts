import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { isRefusal } from "../../../src/core/refusal.ts";
import type { GitLayer, GitLayerPlan } from "../../../src/engine/ports/git-layer.ts";
import { gitGuardIn, stateDirectoryIn } from "../../../src/platform/files/install-records.ts";
import { type GitLayerOptions, openGitLayer } from "../../../src/platform/git/git-layer.ts";
import { git, makeRepository } from "../../support/git-repository.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const SCRIPT = "#!/bin/sh\n# talking-stick 0.0.0\nexit 0\n";
const HUSKY = '#!/usr/bin/env sh\n. "$(dirname "$0")/h"';

class LayerWorld {
  readonly root = temporaryDirectory();
  readonly home = this.#made("home");
  readonly tree = makeRepository(join(this.root, "tree"));
  readonly program = gitGuardIn(stateDirectoryIn(this.home));

  /** With a git that says it is of this version. */
  options(version: string): GitLayerOptions {
    this.write(`bin-${version}/git`, `#!/bin/sh\necho git version ${version}\n`, 0o755, this.root);
    const env = { HOME: this.home, PATH: `${join(this.root, `bin-${version}`)}:/usr/bin:/bin` };
    return { env, program: this.program, script: SCRIPT, stateDirectory: stateDirectoryIn(this.home) };
  }

  layer(version: string): GitLayer {
    return openGitLayer(this.options(version));
  }

  write(path: string, text: string | Buffer, mode = 0o644, inside = this.tree): string {
    const file = join(inside, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    chmodSync(file, mode);
    return file;
  }

  read(path: string): string {
    return readFileSync(join(this.tree, path), "latin1");
  }

  #made(name: string): string {
    mkdirSync(join(this.root, name));
    return join(this.root, name);
  }

  /** Every file of the repository, with its mode and bytes; what tests write themselves is in it as well. */
  files(directory = this.tree): Record<string, string> {
    const names = readdirSync(directory, { recursive: true, encoding: "utf8" }).filter(
      (name) => !name.includes("objects/"),
    );
    return Object.fromEntries(
      names.toSorted().map((name) => {
        const path = join(directory, name);
        const stats = statSync(path);
        return [name, `${stats.mode.toString(8)} ${stats.isFile() ? readFileSync(path, "latin1") : ""}`];
      }),
    );
  }
}

async function done(layer: GitLayer, path: string): Promise<GitLayerPlan> {
  const plan = await layer.install(path);
  if (isRefusal(plan)) throw new Error(plan.message);
  return plan;
}

it("git 2.54 gets two sections at the end of its configuration, as the plan showed, and loses them without a trace", async () => {
  const world = new LayerWorld();
  const layer = world.layer("2.54.0");
  // Neither a last line end nor UTF-8.
  const config = world.write(
    ".git/config",
    Buffer.from("[core]\n\tbare = false\n[user]\n\tname = J\xfcrgen", "latin1"),
    0o640,
  );
  const before = world.files();
  const plan = await layer.plan(world.tree);
  expect(world.files()).toEqual(before);
  expect(plan).toMatchObject({ kind: "config", writes: [{ path: config, action: "add" }] });
  await done(layer, world.tree);
  expect(world.read(".git/config")).toBe(`[core]\n\tbare = false\n[user]\n\tname = J\xfcrgen${plan.writes[0]?.text}`);
  expect(statSync(config).mode & 0o777).toBe(0o640);
  const command = git(world.tree, "config", "--get", "hook.talking-stick.command");
  expect(command).toBe(`test ! -x '${world.program}' || '${world.program}' reference-transaction`);
  expect(git(world.tree, "config", "--get", "hook.talking-stick.event")).toBe("reference-transaction");
  expect(git(world.tree, "config", "--get", "hook.talking-stick-rebase.event")).toBe("pre-rebase");
  expect((await layer.inspect(world.tree)).status).toBe("in_place");
  expect(await layer.remove(world.tree)).toEqual([config]);
  expect(world.files()).toEqual(before);
  expect(readdirSync(world.home)).toEqual([]);
});

it("what git wrote into its configuration meanwhile stays when our sections go", async () => {
  const world = new LayerWorld();
  const layer = world.layer("2.54.0");
  const before = world.read(".git/config");
  await done(layer, world.tree);
  git(world.tree, "config", "core.pager", "less");
  git(world.tree, "config", "hook.talking-stick.event", "reference-transaction");
  await layer.remove(world.tree);
  expect(world.read(".git/config")).toBe(before.replace(/(logallrefupdates = true\n)/, "$1\tpager = less\n"));
});

it("an older git gets hooks of ours, and a hook of the project is put back as it was", async () => {
  const world = new LayerWorld();
  const layer = world.layer("2.39.5");
  const own = world.write(".git/hooks/pre-rebase", "#!/bin/bash\necho mine\xff\n", 0o750);
  const before = world.files();
  const plan = await done(layer, world.tree);
  expect(plan).toMatchObject({
    kind: "file",
    writes: [
      { path: join(world.tree, ".git/hooks/reference-transaction"), action: "make", movedTo: null },
      { path: own, action: "chain", movedTo: join(world.tree, ".git/hooks/talking-stick/pre-rebase") },
    ],
    holes: [],
  });
  for (const { path, text } of plan.writes) {
    expect(readFileSync(path, "utf8")).toBe(text);
    expect(text).toContain(`test ! -x '${world.program}' ||`);
    expect(statSync(path).mode & 0o111).toBe(0o111);
  }
  expect(readFileSync(world.program, "utf8")).toBe(SCRIPT);
  expect(await done(layer, world.tree)).toMatchObject({ writes: [{ action: "keep" }, { action: "keep" }] });
  expect(await layer.remove(world.tree)).toHaveLength(2);
  expect(world.files()).toEqual(before);
  expect(readdirSync(world.home)).toEqual([]);
});

it("all repositories are put back at once, also if one of them is gone", async () => {
  const world = new LayerWorld();
  const layer = world.layer("2.39.5");
  const other = makeRepository(join(world.root, "other"));
  const [before, gone] = [world.files(), makeRepository(join(world.root, "gone"))];
  for (const path of [world.tree, other, gone]) await done(layer, path);
  rmSync(gone, { recursive: true });
  expect(layer.removeAll()).toMatchObject({ restored: { length: 4 }, failed: [] });
  expect(world.files()).toEqual(before);
  expect(existsSync(world.program)).toBe(false);
});

it("without a record our hooks are recognised by their content", async () => {
  const world = new LayerWorld();
  const layer = world.layer("2.39.5");
  world.write(".git/hooks/pre-rebase", "#!/bin/sh\nexit 0\n", 0o755);
  const before = world.files();
  await done(layer, world.tree);
  writeFileSync(join(stateDirectoryIn(world.home), "git-layer.json"), "not ours");
  await layer.remove(world.tree);
  expect(world.files()).toEqual(before);
});

it("a hook that another program wrote in place of ours is left alone", async () => {
  const world = new LayerWorld();
  const layer = world.layer("2.39.5");
  await done(layer, world.tree);
  const theirs = world.write(".git/hooks/pre-rebase", "#!/bin/sh\n# theirs\n", 0o755);
  expect((await layer.inspect(world.tree)).status).toBe("partly");
  await layer.remove(world.tree);
  expect(readFileSync(theirs, "utf8")).toBe("#!/bin/sh\n# theirs\n");
});

it("a hook that another program wrote in place of ours comes back after a second installation", async () => {
  const world = new LayerWorld();
  const layer = world.layer("2.39.5");
  await done(layer, world.tree);
  const theirs = world.write(".git/hooks/pre-rebase", "#!/bin/sh\n# theirs\n", 0o755);
  expect((await done(layer, world.tree)).writes.map(({ action }) => action)).toEqual(["keep", "chain"]);
  await layer.remove(world.tree);
  expect(readFileSync(theirs, "utf8")).toBe("#!/bin/sh\n# theirs\n");
});

it("what an earlier installation wrote for another program goes without a trace, too", async () => {
  const world = new LayerWorld();
  world.write(".git/config", "[core]\n\tbare = false");
  const before = world.files();
  const other = openGitLayer({ ...world.options("2.54.0"), program: join(world.home, "elsewhere/tt-git-guard") });
  await done(other, world.tree);
  await done(world.layer("2.54.0"), world.tree);
  expect(world.read(".git/config").match(/talking-stick"\]/g)).toHaveLength(1);
  await world.layer("2.54.0").remove(world.tree);
  expect(world.files()).toEqual(before);
});

it("a configuration that git is changing is left alone, and said to be", async () => {
  const world = new LayerWorld();
  world.write(".git/config.lock", "");
  const before = world.files();
  expect(await world.layer("2.54.0").install(world.tree)).toMatchObject({
    error: "invalid_path",
    facts: { cause: "EEXIST" },
  });
  expect(world.files()).toEqual(before);
  expect(readdirSync(world.home)).toEqual([]);
});

it("husky's hook keeps its place and gets one line, which goes again", async () => {
  const world = new LayerWorld();
  const layer = world.layer("2.39.5");
  git(world.tree, "config", "core.hooksPath", ".husky/_");
  world.write(".husky/_/.gitignore", "*");
  const hook = world.write(".husky/_/pre-rebase", HUSKY, 0o755);
  const before = world.files();
  const plan = await done(layer, world.tree);
  expect(plan.writes.map(({ action }) => action)).toEqual(["make", "add"]);
  expect(readFileSync(hook, "utf8")).toBe(HUSKY.replace("\n", `\n${plan.writes[1]?.text}`));
  expect((await layer.inspect(world.tree)).status).toBe("in_place");
  await layer.remove(world.tree);
  expect(world.files()).toEqual(before);
});

it("after an update of git its configuration takes the place of the hook files", async () => {
  const world = new LayerWorld();
  const before = world.files();
  await done(world.layer("2.39.5"), world.tree);
  const plan = await done(world.layer("2.55.0"), world.tree);
  expect(plan.kind).toBe("config");
  expect(existsSync(join(world.tree, ".git/hooks/reference-transaction"))).toBe(false);
  await world.layer("2.55.0").remove(world.tree);
  expect(world.files()).toEqual(before);
});

it("a linked working tree has the hooks of its repository", async () => {
  const world = new LayerWorld();
  const linked = join(world.root, "linked");
  git(world.tree, "worktree", "add", "-q", linked);
  const plan = await world.layer("2.39.5").plan(linked);
  expect(plan.writes.map(({ path }) => dirname(path))).toEqual(Array(2).fill(join(world.tree, ".git/hooks")));
});

it.each<[string, (world: LayerWorld) => void, RegExp]>([
  [
    "a tracked directory",
    ({ tree }) => void git(tree, "config", "core.hooksPath", ".githooks"),
    /core.hooksPath is .githooks/,
  ],
  [
    "husky before version 9",
    ({ tree }) => void git(tree, "config", "core.hooksPath", ".husky"),
    /core.hooksPath is .husky/,
  ],
  [
    "a directory that only looks like husky's",
    ({ tree }) => void git(tree, "config", "core.hooksPath", ".husky/_"),
    /core.hooksPath is .husky\/_/,
  ],
  [
    "a directory of the user",
    (world) => world.write(".gitconfig", "[core]\n\thooksPath = ~/hooks\n", 0o644, world.home),
    /core.hooksPath is ~\/hooks/,
  ],
  [
    "a directory from a file that the repository includes",
    (world) => {
      git(world.tree, "config", "include.path", "more");
      world.write(".git/more", "[core]\n\thooksPath = /shared\n");
    },
    /core.hooksPath is \/shared/,
  ],
  [
    "a condition",
    (world) => {
      world.write(".gitconfig", '[includeIf "gitdir:~/work/"]\n\tpath = work\n', 0o644, world.home);
      world.write("work", "[core]\n\thooksPath = ~/hooks\n", 0o644, world.home);
    },
    /depends on a condition/,
  ],
  [
    "a link",
    ({ root, tree }) => {
      mkdirSync(join(tree, ".git/hooks"), { recursive: true });
      renameSync(join(tree, ".git/hooks"), join(root, "shared"));
      symlinkSync(join(root, "shared"), join(tree, ".git/hooks"));
    },
    /hooks is a link/,
  ],
])("%s is left alone and named", async (_, set, why) => {
  const world = new LayerWorld();
  set(world);
  const before = world.files();
  const plan = await done(world.layer("2.39.5"), world.tree);
  expect(plan).toMatchObject({ kind: "hole", writes: [], holes: [expect.stringMatching(why)] });
  expect(world.files()).toEqual(before);
  expect((await world.layer("2.39.5").inspect(world.tree)).status).toBe("impossible");
  // A newer git reads hooks from its configuration, whatever core.hooksPath says.
  expect((await world.layer("2.54.0").plan(world.tree)).kind).toBe("config");
});

it("a hook that is a link is left alone and named, and the other hook is written", async () => {
  const world = new LayerWorld();
  world.write("scripts/pre-rebase", "#!/bin/sh\n", 0o755);
  mkdirSync(join(world.tree, ".git/hooks"), { recursive: true });
  symlinkSync("../../scripts/pre-rebase", join(world.tree, ".git/hooks/pre-rebase"));
  const plan = await done(world.layer("2.39.5"), world.tree);
  expect(plan.writes).toHaveLength(1);
  expect(plan.holes).toEqual([expect.stringMatching(/pre-rebase is a link/)]);
});

it("nothing is written outside of a repository, nor for a git that asks no hook", async () => {
  const world = new LayerWorld();
  expect(await world.layer("2.39.5").plan(world.root)).toMatchObject({ kind: "hole", repository: null });
  expect(await world.layer("2.27.1").plan(world.tree)).toMatchObject({
    kind: "hole",
    holes: [expect.stringMatching(/2\.28/)],
  });
});
