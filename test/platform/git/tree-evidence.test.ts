/** What is told of a working tree without the repository's own configuration, beside what git tells with it. */
import {
  chmodSync,
  existsSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { HandoffEvidence } from "../../../src/core/handoff.ts";
import { createWorkingTree, type WorkingTreeOptions } from "../../../src/platform/git/working-tree.ts";
import { git, makeRepository } from "../../support/git-repository.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

class World {
  readonly root = temporaryDirectory();
  readonly home = join(this.root, "home");
  readonly scratch = join(this.root, "scratch");

  constructor() {
    for (const directory of [this.home, this.scratch]) mkdirSync(directory, { mode: 0o700 });
  }

  repository(name = "app"): string {
    return makeRepository(join(this.root, name));
  }

  async evidence(
    path: string,
    since?: string | null,
    more: Partial<WorkingTreeOptions> = {},
  ): Promise<HandoffEvidence> {
    const env = { PATH: process.env["PATH"], HOME: this.home };
    const tree = createWorkingTree({ home: null, env, scratch: [this.scratch], budgetMs: 30_000, ...more });
    const evidence = await tree.evidence(path, since === undefined ? tree.head(path) : since);
    expect(readdirSync(this.scratch)).toEqual([]);
    if (evidence === null) throw new Error("there is no repository");
    return evidence;
  }
}

function commitAll(path: string, message = "more"): string {
  git(path, "add", ".");
  git(path, "commit", "--quiet", `--message=${message}`);
  return git(path, "rev-parse", "HEAD");
}

/** As an editor does that saves what was there: only the time is new. */
function touch(path: string): void {
  utimesSync(path, 1_700_000_000, 1_700_000_000);
}

const CLEAN = { dirty: false, untracked: 0, diffStat: "" };
const NOT_KNOWN = { dirty: null, diffStat: null };

function filtered(world: World): string {
  const path = world.repository();
  git(path, "config", "filter.upper.clean", `touch ${world.root}/run; tr a-z A-Z`);
  writeFileSync(join(path, ".gitattributes"), "*.bin filter=upper\n");
  writeFileSync(join(path, "a.bin"), "content\n");
  commitAll(path);
  touch(join(path, "a.bin"));
  git(path, "status");
  rmSync(join(world.root, "run"));
  return path;
}

function withSubmodule(world: World): string {
  const path = world.repository();
  git(path, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", world.repository("other"), "lib/sub");
  commitAll(path);
  return path;
}

function commitIn(path: string): void {
  git(path, "commit", "--quiet", "--allow-empty", "--message=more");
}

/** A program in git's place that says what it was given. */
function watching(world: World, script: string): Partial<WorkingTreeOptions> {
  const program = join(world.root, "watcher");
  writeFileSync(program, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return { gitProgram: program };
}

describe("line ends", () => {
  test.each<[what: string, configure: (world: World, path: string) => void]>([
    ["of the repository's settings", (_, path) => void git(path, "config", "core.autocrlf", "true")],
    ["of the user's settings", ({ home }) => writeFileSync(join(home, ".gitconfig"), "[core]\n\tautocrlf = true\n")],
    [
      "of an attribute",
      (_, path) => {
        writeFileSync(join(path, ".gitattributes"), "*.txt text eol=crlf\n");
        commitAll(path);
      },
    ],
  ])("%s make no change", async (_, configure) => {
    const world = new World();
    const path = world.repository();
    const file = join(path, "first.txt");
    configure(world, path);
    rmSync(file);
    git(path, "-c", "core.autocrlf=true", "checkout", "--quiet", "--", ".");
    expect(readFileSync(file, "utf8")).toBe("one\r\n");
    touch(file);
    expect(await world.evidence(path)).toMatchObject(CLEAN);
    writeFileSync(file, "two\r\n");
    const diffStat = expect.stringMatching(/ first\.txt \| 2 .*\n 1 file changed/);
    expect(await world.evidence(path)).toMatchObject({ dirty: true, diffStat });
  });
});

describe("files that go through a filter", () => {
  test("are clean while they are as git has seen them", async () => {
    const world = new World();
    expect(await world.evidence(filtered(world))).toMatchObject(CLEAN);
    expect(existsSync(join(world.root, "run"))).toBe(false);
  });

  test("are not known to be changed when they look so", async () => {
    const world = new World();
    const path = filtered(world);
    writeFileSync(join(path, "a.bin"), "content\n");
    expect(await world.evidence(path)).toMatchObject(NOT_KNOWN);
    expect(existsSync(join(world.root, "run"))).toBe(false);
  });

  test("do not hide what is certain", async () => {
    const world = new World();
    const path = filtered(world);
    writeFileSync(join(path, "first.txt"), "two\n");
    expect(await world.evidence(path)).toMatchObject({ dirty: true, diffStat: expect.stringContaining("first.txt") });
    touch(join(path, "a.bin"));
    writeFileSync(join(path, "a.bin"), "other\n");
    expect(await world.evidence(path)).toMatchObject({ dirty: true, diffStat: null });
  });
});

describe("submodules", () => {
  test.each<[what: string, dirty: boolean, change: (path: string) => void]>([
    ["as it was recorded", false, () => undefined],
    ["with changed files of its own", false, (path) => writeFileSync(join(path, "lib/sub/first.txt"), "two\n")],
    ["at another commit", true, (path) => commitIn(join(path, "lib/sub"))],
    [
      "at another commit that is staged",
      true,
      (path) => {
        commitIn(join(path, "lib/sub"));
        git(path, "add", "lib/sub");
      },
    ],
    ["that is not checked out", false, (path) => void git(path, "submodule", "--quiet", "deinit", "--all", "--force")],
    ["that was removed", true, (path) => rmSync(join(path, "lib/sub"), { recursive: true })],
  ])("one %s: dirty is %s", async (_, dirty, change) => {
    const world = new World();
    const path = withSubmodule(world);
    change(path);
    const status = git(path, "status", "--porcelain", "--ignore-submodules=dirty");
    expect([status !== "", (await world.evidence(path)).dirty]).toEqual([dirty, dirty]);
  });

  test("outside of the room's part do not count, and the other files do", async () => {
    const world = new World();
    const path = withSubmodule(world);
    commitIn(join(path, "lib/sub"));
    mkdirSync(join(path, "part"));
    writeFileSync(join(path, "part/file.txt"), "");
    const since = git(path, "rev-parse", "HEAD");
    git(path, "add", "part");
    git(path, "commit", "--quiet", "--message=part");
    expect((await world.evidence(join(path, "part"))).dirty).toBe(false);
    expect((await world.evidence(path, since)).diffStat).toMatch(/^ part\/file.txt \| 0\n 1 file changed/);
  });
});

describe("what git would not look at is not looked at", () => {
  test.each<[what: string, ignore: (world: World, path: string) => void]>([
    [".gitignore", (_, path) => writeFileSync(join(path, ".gitignore"), ".gitignore\n*.log\n")],
    ["info/exclude", (_, path) => writeFileSync(join(path, ".git/info/exclude"), "*.log\n")],
    [
      "the user's file in its usual place",
      ({ home }) => {
        mkdirSync(join(home, ".config/git"), { recursive: true });
        writeFileSync(join(home, ".config/git/ignore"), "*.log\n");
      },
    ],
    [
      "the user's file, named in settings that others include",
      ({ home }) => {
        writeFileSync(join(home, ".gitconfig"), "[include]\n\tpath = more\n");
        writeFileSync(join(home, "more"), '[core]\n\texcludesFile = "~/my ignore"\n');
        writeFileSync(join(home, "my ignore"), "*.log\n");
      },
    ],
  ])("%s", async (_, ignore) => {
    const world = new World();
    const path = world.repository();
    writeFileSync(join(path, "a.log"), "");
    expect((await world.evidence(path)).dirty).toBe(true);
    ignore(world, path);
    expect((await world.evidence(path)).dirty).toBe(false);
  });

  test("modes, where the repository says so", async () => {
    const world = new World();
    const path = world.repository();
    chmodSync(join(path, "first.txt"), 0o755);
    expect((await world.evidence(path)).dirty).toBe(true);
    git(path, "config", "core.fileMode", "false");
    expect((await world.evidence(path)).dirty).toBe(false);
  });
});

describe("kinds of repositories", () => {
  test.each(["with:colon", 'with "quotes"', "with\nline", "with\\slash", "ä"])("at a path %j", async (name) => {
    const world = new World();
    const path = world.repository(name);
    expect(await world.evidence(path)).toMatchObject(CLEAN);
  });

  test("with objects of the newer kind", async () => {
    const world = new World();
    const path = join(world.root, "app");
    git(world.root, "init", "--quiet", "--object-format=sha256", "--initial-branch=main", path);
    writeFileSync(join(path, "first.txt"), "one\n");
    commitAll(path);
    expect(await world.evidence(path)).toMatchObject({ ...CLEAN, head: expect.stringMatching(/^[0-9a-f]{64}$/) });
    writeFileSync(join(path, "first.txt"), "two\n");
    expect(await world.evidence(path)).toMatchObject({
      dirty: true,
      diffStat: expect.stringContaining("first.txt | 2"),
    });
  });

  test("with objects of others, at a relative path", async () => {
    const world = new World();
    const clone = join(world.root, "clone");
    git(world.root, "clone", "--quiet", "--shared", world.repository(), clone);
    writeFileSync(join(clone, ".git/objects/info/alternates"), "../../../app/.git/objects\n");
    expect(await world.evidence(clone)).toMatchObject(CLEAN);
  });

  test("in a linked working tree", async () => {
    const world = new World();
    git(world.repository(), "worktree", "add", "--quiet", "../side");
    const side = join(world.root, "side");
    expect(await world.evidence(side)).toMatchObject({ ...CLEAN, branch: "side" });
    writeFileSync(join(side, "first.txt"), "two\n");
    expect(await world.evidence(side)).toMatchObject({ dirty: true });
  });

  test("whose missing objects could be fetched: nothing is, and what they held is not known", async () => {
    const world = new World();
    const origin = world.repository();
    const since = git(origin, "rev-parse", "HEAD");
    writeFileSync(join(origin, "first.txt"), "two\n");
    commitAll(origin);
    git(origin, "config", "uploadpack.allowFilter", "true");
    const clone = join(world.root, "clone");
    git(world.root, "clone", "--quiet", "--filter=blob:none", `file://${origin}`, clone);
    const missing = () => git(clone, "rev-list", "--objects", "--missing=print", "HEAD").match(/^\?.*/gm);
    const before = missing();
    expect(before).toHaveLength(1);
    expect(await world.evidence(clone)).toMatchObject(CLEAN);
    expect(await world.evidence(clone, since)).toMatchObject({ dirty: false, diffStat: null });
    expect(missing()).toEqual(before);
  });

  test.each<[what: string, make: (world: World) => string]>([
    [
      "bare",
      (world) => {
        git(world.root, "clone", "--quiet", "--bare", world.repository(), "bare");
        return join(world.root, "bare");
      },
    ],
    [
      "with its tree elsewhere",
      (world) => {
        const path = world.repository();
        git(path, "config", "core.worktree", world.home);
        return path;
      },
    ],
    [
      "whose index has two parts",
      (world) => {
        const path = world.repository();
        git(path, "update-index", "--split-index");
        return path;
      },
    ],
    [
      "with settings that cannot be read",
      (world) => {
        const path = world.repository();
        writeFileSync(join(path, ".git/config"), "[core\n");
        return path;
      },
    ],
  ])("%s: only the head is told", async (_, make) => {
    const world = new World();
    const evidence = await world.evidence(make(world));
    expect(evidence).toEqual({
      ...NOT_KNOWN,
      untracked: null,
      head: expect.stringMatching(/^[0-9a-f]{40}$/),
      branch: "main",
    });
  });
});

/** All files with what is known of them, to see whether any was written. */
function everyFile(directory: string): readonly unknown[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .toSorted()
    .map((name) => {
      const { mtimeMs, ctimeMs, size, mode } = statSync(join(directory, name));
      return [name, mtimeMs, ctimeMs, size, mode];
    });
}

describe("git's own directory", () => {
  test("is ours alone, and gone afterwards", async () => {
    const world = new World();
    const path = world.repository();
    const seen = join(world.root, "seen");
    await world.evidence(path, null, watching(world, `find "$GIT_DIR" -printf '%y %m %P\\n' | sort -k3 >${seen}`));
    expect(readFileSync(seen, "utf8").split("\n")).toEqual([
      "d 700 ",
      "f 600 HEAD",
      "f 600 config",
      "f 600 index",

      "d 700 refs",
      "",
    ]);
  });

  test("comes with an environment of its own", async () => {
    const world = new World();
    const seen = join(world.root, "seen");
    const env = {
      PATH: process.env["PATH"],
      HOME: world.home,
      GIT_DIR: "/other",
      GIT_CONFIG_COUNT: "1",
      SSH_ASKPASS: "/x",
    };
    await world.evidence(world.repository(), null, { env, ...watching(world, `env >${seen}`) });
    const names = readFileSync(seen, "utf8").match(/^[A-Z_]+(?==)/gm);
    expect(names?.filter((name) => !name.startsWith("GIT_")).toSorted()).toEqual(["LC_ALL", "PATH", "PWD"]);
    expect(readFileSync(seen, "utf8")).toMatch(new RegExp(`^GIT_DIR=${world.scratch}/tt-git-`, "m"));
    expect(names).not.toContain("GIT_CONFIG_COUNT");
  });

  test("is all that is written: the repository stays as it is", async () => {
    const world = new World();
    const path = world.repository();
    touch(join(path, "first.txt"));
    const before = everyFile(path);
    expect(await world.evidence(path)).toMatchObject(CLEAN);
    expect(everyFile(path)).toEqual(before);
  });

  test("lies in the first place that can be written; without one only the head is told", async () => {
    const world = new World();
    const path = world.repository();
    const none = join(path, "first.txt", "below-a-file");
    expect(await world.evidence(path, undefined, { scratch: [none, world.scratch] })).toMatchObject(CLEAN);
    expect(await world.evidence(path, undefined, { scratch: [none] })).toMatchObject(NOT_KNOWN);
    chmodSync(world.scratch, 0o777);
    expect(await world.evidence(path)).toMatchObject(NOT_KNOWN);
  });

  test("that a killed process left behind is removed when it is old", async () => {
    const world = new World();
    const path = world.repository();
    const [old, fresh] = [join(world.scratch, "tt-git-old"), join(world.scratch, "tt-git-fresh")];
    for (const directory of [old, fresh]) mkdirSync(join(directory, "objects"), { recursive: true });
    writeFileSync(join(old, "index.lock"), "");
    utimesSync(old, 1_700_000_000, 1_700_000_000);
    const planted = join(world.scratch, "tt-git-planted");
    symlinkSync(join(path, ".git"), planted);
    lutimesSync(planted, 1_700_000_000, 1_700_000_000);
    const tree = createWorkingTree({ home: null, scratch: [world.scratch], budgetMs: 30_000 });
    expect(await tree.evidence(path, null)).toMatchObject({ dirty: false });
    expect(readdirSync(world.scratch)).toEqual(["tt-git-fresh"]);
    expect(git(path, "status", "--porcelain")).toBe("");
  });
});
