import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { captureTree } from "../../../support/captured-tree.ts";
import { git, makeRepository } from "../../../support/git-repository.ts";
import { RecordWorld } from "./record-world.ts";

describe("what a snapshot contains", () => {
  test("changed, new and deleted files, and no ignored ones", async () => {
    const world = new RecordWorld();
    const first = await world.snapshot();
    world.write(".gitignore", "*.log\n");
    world.write("noise.log", "noise\n");
    world.write("src/new.ts", "new\n");
    rmSync(join(world.top, "first.txt"));
    const second = await world.snapshot();
    expect(await world.changed(first, second)).toEqual(["added .gitignore", "deleted first.txt", "added src/new.ts"]);
  });

  test("a file that is tracked although it is ignored, and one that is ignored later no more", async () => {
    const world = new RecordWorld();
    world.write(".gitignore", "*.log\n");
    world.write("kept.log", "one\n");
    world.write("build/out.js", "out\n");
    git(world.top, "add", "--force", "kept.log");
    const first = await world.snapshot();
    world.write("kept.log", "two\n");
    world.write(".gitignore", "*.log\nbuild\n");
    const second = await world.snapshot();
    expect(await world.changed(first, second)).toEqual([
      "modified .gitignore",
      "deleted build/out.js",
      "modified kept.log",
    ]);
  });

  test("the rules of the repository's exclude file and of the user's own", async () => {
    const world = new RecordWorld();
    const first = await world.snapshot();
    appendFileSync(join(world.top, ".git/info/exclude"), "private.txt\n");
    mkdirSync(join(world.root, "home/.config/git"), { recursive: true });
    writeFileSync(join(world.root, "home/.config/git/ignore"), "*.swp\n");
    for (const name of ["private.txt", "a.swp", "seen.txt"]) world.write(name, "x\n");
    expect(await world.changed(first, await world.snapshot())).toEqual(["added seen.txt"]);
  });

  test("exact bytes, whatever the attributes say", async () => {
    const world = new RecordWorld();
    world.write(".gitattributes", "* text=auto eol=crlf ident filter=none working-tree-encoding=UTF-16\n");
    git(world.top, "config", "core.autocrlf", "true");
    const bytes = Buffer.from("a\r\nb\n$Id$\r\n\xff\xfe", "latin1");
    world.write("mixed.txt", bytes);
    const snapshot = await world.snapshot();
    rmSync(join(world.top, "mixed.txt"));
    await world.restore(snapshot, "mixed.txt");
    expect(readFileSync(join(world.top, "mixed.txt"))).toEqual(bytes);
  });

  test("a change of the same size within the same moment", async () => {
    const world = new RecordWorld();
    const trees = new Set<string>();
    for (let round = 0; round < 20; round += 1) {
      world.write("first.txt", `${String(round).padStart(4, "0")}\n`);
      trees.add((await world.snapshot()).treeId);
    }
    expect(trees.size).toBe(20);
  });

  test("a file in place of a directory, a directory in place of a file, and a link in place of both", async () => {
    const world = new RecordWorld();
    for (const name of ["a", "b/one", "b/two", "c/one", "d/one"]) world.write(name, `${name}\n`);
    const first = await world.snapshot();
    for (const name of ["a", "b", "c"]) rmSync(join(world.top, name), { recursive: true });
    world.write("a/inside", "a/inside\n");
    world.write("b", "b\n");
    symlinkSync("d", join(world.top, "c"));
    renameSync(join(world.top, "d"), join(world.top, "e"));
    symlinkSync("e", join(world.top, "d"));
    const second = await world.snapshot();
    expect(await world.changed(first, second)).toEqual([
      "deleted a",
      "added a/inside",
      "added b",
      "deleted b/one",
      "deleted b/two",
      "added c",
      "deleted c/one",
      "added d",
      "deleted d/one",
      "added e/one",
    ]);
    const before = captureTree(world.top, { without: [".git"] });
    await world.restore(first, "");
    await world.restore(second, "");
    expect(captureTree(world.top, { without: [".git"] })).toEqual(before);
  });
});

describe("what is left out and named", () => {
  test("submodules, nested repositories with and without a commit, and large files", async () => {
    const world = new RecordWorld();
    const source = makeRepository(join(world.root, "source"));
    git(world.top, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", source, "sub");
    makeRepository(join(world.top, "nested"));
    mkdirSync(join(world.top, "empty"));
    git(join(world.top, "empty"), "init", "--quiet");
    world.write("empty/file", "x\n");
    world.write("large.bin", Buffer.alloc(10 * 1024 * 1024 + 1));
    world.write("almost.bin", Buffer.alloc(10 * 1024 * 1024));
    const snapshot = await world.snapshot();
    expect(snapshot.leftOut).toEqual([
      { path: "empty", why: "nested_repository" },
      { path: "large.bin", why: "too_large" },
      { path: "nested", why: "nested_repository" },
      { path: "sub", why: "submodule" },
    ]);
    expect(snapshot.leftOutCount).toBe(4);
    // It says so again, although nothing has changed.
    expect(await world.snapshot()).toMatchObject({ treeId: snapshot.treeId, leftOut: snapshot.leftOut });
  });

  test("a directory that becomes a repository, and a file that becomes large", async () => {
    const world = new RecordWorld();
    world.write("part/file", "one\n");
    world.write("grows.bin", "small");
    const first = await world.snapshot();
    git(join(world.top, "part"), "init", "--quiet");
    world.write("part/file", "two\n");
    world.write("grows.bin", Buffer.alloc(10 * 1024 * 1024 + 1));
    const second = await world.snapshot();
    expect(second.leftOut).toEqual([
      { path: "grows.bin", why: "too_large" },
      { path: "part", why: "nested_repository" },
    ]);
    expect(await world.changed(first, second)).toEqual(["deleted grows.bin", "deleted part/file"]);
  });

  test("at most fifty are named, and all are counted", async () => {
    const world = new RecordWorld();
    for (let at = 0; at < 60; at += 1) {
      mkdirSync(join(world.top, `n${at}`));
      git(join(world.top, `n${at}`), "init", "--quiet");
    }
    const snapshot = await world.snapshot();
    expect([snapshot.leftOut.length, snapshot.leftOutCount]).toEqual([50, 60]);
  });

  test("pipes and sockets are no files", async () => {
    const world = new RecordWorld();
    const first = await world.snapshot();
    spawnSync("mkfifo", [join(world.top, "pipe")]);
    expect(existsSync(join(world.top, "pipe"))).toBe(true);
    expect((await world.snapshot()).treeId).toBe(first.treeId);
  });
});

describe("where a snapshot works", () => {
  test("before the first commit, on a detached head, in a linked tree and during a rebase", async () => {
    const world = new RecordWorld();
    const fresh = join(world.root, "fresh");
    mkdirSync(fresh);
    git(fresh, "init", "--quiet");
    writeFileSync(join(fresh, "a"), "a\n");
    expect(await world.snapshot(fresh)).toMatchObject({ head: null, leftOut: [] });
    git(world.top, "checkout", "--quiet", "--detach");
    git(world.top, "worktree", "add", "--quiet", join(world.root, "side"));
    const [main, side] = [await world.snapshot(), await world.snapshot(join(world.root, "side"))];
    expect(side.treeId).toBe(main.treeId);
    world.write("first.txt", "other\n");
    git(world.top, "commit", "--quiet", "--all", "--message=other");
    git(world.top, "branch", "other");
    git(world.top, "checkout", "--quiet", "main");
    world.write("first.txt", "mine\n");
    git(world.top, "commit", "--quiet", "--all", "--message=mine");
    expect(() => git(world.top, "rebase", "other")).toThrow();
    const conflict = await world.snapshot();
    expect(await world.changed(main, conflict)).toEqual(["modified first.txt"]);
  });

  test("with the SHA-256 of newer repositories", async () => {
    const world = new RecordWorld();
    const top = join(world.root, "long");
    mkdirSync(top);
    git(top, "init", "--quiet", "--object-format=sha256");
    writeFileSync(join(top, "a"), "a\n");
    const first = await world.snapshot(top);
    expect(first.treeId).toHaveLength(64);
    writeFileSync(join(top, "a"), "b\n");
    await world.record.restore({ roomId: "r", path: top }, first, {
      paths: ["a"],
      force: true,
      mayWrite: async () => true,
    });
    expect(readFileSync(join(top, "a"), "utf8")).toBe("a\n");
  });

  test("with a split index, a sparse checkout, and variables that name another repository", async () => {
    const world = new RecordWorld();
    const env = { PATH: process.env["PATH"], GIT_DIR: "/nowhere", GIT_WORK_TREE: "/nowhere", GIT_INDEX_FILE: "/x" };
    const record = world.open({ env });
    world.write("in/a", "a\n");
    world.write("out/b", "b\n");
    world.write(".gitignore", "*.log\n");
    world.write("in/kept.log", "kept\n");
    git(world.top, "add", "--force", ".");
    git(world.top, "commit", "--quiet", "--message=second");
    git(world.top, "update-index", "--split-index");
    git(world.top, "sparse-checkout", "set", "--sparse-index", "in");
    const first = await world.snapshot(world.top, record);
    world.write("in/kept.log", "changed\n");
    const second = await world.snapshot(world.top, record);
    expect(await world.changed(first, second)).toEqual(["modified in/kept.log"]);
    expect(existsSync(join(world.top, "out/b"))).toBe(false);
  });

  test("in a directory below the top", async () => {
    const world = new RecordWorld();
    world.write("a/b/c", "c\n");
    expect((await world.snapshot(join(world.top, "a/b"))).treeId).toBe((await world.snapshot()).treeId);
  });

  test("not where there is no repository, no tree or no git", async () => {
    const world = new RecordWorld();
    const outcome = (path: string, record = world.record) => record.snapshot(path, { budgetMs: 60_000 });
    expect(await outcome(world.root)).toEqual({ skipped: "not_a_repository" });
    git(world.root, "clone", "--quiet", "--bare", world.top, "bare.git");
    expect(await outcome(join(world.root, "bare.git"))).toEqual({ skipped: "not_a_repository" });
    expect(await outcome(world.top, world.open({ env: { PATH: "/nowhere" } }))).toEqual({ skipped: "no_git" });
  });
});

describe("a snapshot that cannot be finished", () => {
  test("ends in time, and the next one works", async () => {
    const world = new RecordWorld();
    const program = join(world.root, "git");
    writeFileSync(program, "#!/bin/sh\nexec sleep 600\n");
    chmodSync(program, 0o755);
    const slow = world.open({ gitProgram: program });
    expect(await slow.snapshot(world.top, { budgetMs: 300 })).toEqual({ skipped: "too_slow" });
    expect(readdirSync(world.scratch)).toEqual([]);
    await world.snapshot();
  });

  test("the first one of a tree goes on in the background", async () => {
    const world = new RecordWorld();
    const asked: unknown[] = [];
    const program = join(world.root, "git");
    writeFileSync(program, "#!/bin/sh\nexec sleep 600\n");
    chmodSync(program, 0o755);
    const startBackground = (...words: unknown[]) => asked.push(words) > 0;
    const slow = world.open({ gitProgram: program, startBackground });
    expect(await slow.snapshot(world.top, { budgetMs: 300 })).toEqual({ skipped: "pending" });
    const room = { roomId: "r", path: world.top };
    expect(slow.finishLater(room, [{ turn: 3, moment: "end" }])).toBe(true);
    expect(asked).toMatchObject([[{ first: { room, points: [{ turn: 3, moment: "end" }] } }]]);
    await world.snapshot();
    expect(await slow.snapshot(world.top, { budgetMs: 300 })).toEqual({ skipped: "too_slow" });
  });

  test("several at once do not disturb each other", async () => {
    const world = new RecordWorld();
    for (let at = 0; at < 50; at += 1) world.write(`f${at}`, `${at}\n`);
    const all = await Promise.all(Array.from({ length: 8 }, () => world.snapshot()));
    expect(new Set(all.map(({ treeId }) => treeId)).size).toBe(1);
    world.write("f1", "changed\n");
    const again = await Promise.all(Array.from({ length: 8 }, () => world.snapshot()));
    expect(new Set(again.map(({ treeId }) => treeId)).size).toBe(1);
    expect(readdirSync(world.scratch)).toEqual([]);
  });

  test("says so when the record cannot be written", async () => {
    const world = new RecordWorld();
    await world.snapshot();
    const [name = ""] = readdirSync(join(world.data, "record"));
    rmSync(join(world.data, "record", name, "objects"), { recursive: true });
    symlinkSync(world.root, join(world.data, "record", name, "objects"));
    expect(await world.record.snapshot(world.top, { budgetMs: 60_000 })).toEqual({ skipped: "unsafe" });
    expect(existsSync(join(world.root, "pack"))).toBe(false);
    unlinkSync(join(world.data, "record", name, "objects"));
    writeFileSync(join(world.data, "record", name, "objects"), "");
    expect(await world.record.snapshot(world.top, { budgetMs: 60_000 })).toEqual({ skipped: "unsafe" });
  });
});
