import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { cutDiffStat } from "../../../src/platform/git/tree-changes.ts";
import { createWorkingTree as createWith, type WorkingTreeOptions } from "../../../src/platform/git/working-tree.ts";
import { git, makeRepository } from "../../support/git-repository.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

/** Where git gets its directory, and where nothing may be left. */
const scratch = mkdtempSync(join(tmpdir(), "tt-test-"));
afterEach(() => expect(readdirSync(scratch)).toEqual([]));
afterAll(() => rmSync(scratch, { recursive: true }));

const createWorkingTree = (options: Partial<WorkingTreeOptions> = {}) =>
  createWith({ home: null, scratch: [scratch], budgetMs: 30_000, ...options });
const tree = createWorkingTree();

function repository(): string {
  return makeRepository(join(temporaryDirectory(), "app"));
}

/** A program in git's place. */
function fakeGit(script: string): string {
  const program = join(temporaryDirectory(), "git");
  writeFileSync(program, `#!/bin/sh\n${script}\n`);
  chmodSync(program, 0o755);
  return program;
}

function agrees(path: string): void {
  expect(tree.head(path)).toBe(git(path, "rev-parse", "HEAD"));
}

describe("the head, read from files", () => {
  test("of a branch", () => agrees(repository()));

  test("from a directory below", () => {
    const path = join(repository(), "a/b");
    mkdirSync(path, { recursive: true });
    agrees(path);
  });

  test("of a branch that is packed, among others whose names end the same", () => {
    const path = repository();
    git(path, "update-ref", "refs/changes/refs/heads/main", "HEAD");
    git(path, "commit", "--quiet", "--allow-empty", "--message=second");
    git(path, "tag", "-a", "v1", "-m", "v1");
    git(path, "pack-refs", "--all");
    expect(existsSync(join(path, ".git/refs/heads/main"))).toBe(false);
    agrees(path);
  });

  test("a loose ref is newer than a packed one", () => {
    const path = repository();
    git(path, "pack-refs", "--all");
    git(path, "commit", "--quiet", "--allow-empty", "--message=second");
    agrees(path);
  });

  test("of a detached head", () => {
    const path = repository();
    git(path, "checkout", "--quiet", "--detach");
    agrees(path);
  });

  test("of a linked working tree on a branch of its own", () => {
    const path = repository();
    git(path, "worktree", "add", "--quiet", "-b", "side", "../side");
    git(join(path, "../side"), "commit", "--quiet", "--allow-empty", "--message=second");
    git(path, "pack-refs", "--all");
    agrees(join(path, "../side"));
  });

  test("of a submodule", () => {
    const path = repository();
    git(path, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", repository(), "sub");
    git(join(path, "sub"), "commit", "--quiet", "--allow-empty", "--message=second");
    agrees(join(path, "sub"));
  });

  test("a repository without a commit has none", () => {
    const path = temporaryDirectory();
    git(path, "init", "--quiet");
    expect(tree.head(path)).toBeNull();
  });

  test.each([
    ["leads out of the repository", "ref: refs/../../../secret\n"],
    ["is no commit", "hello\n"],
    ["refers to itself", "ref: HEAD\n"],
    ["is huge", "a".repeat(100_000)],
  ])("a HEAD that %s has none", (_, text) => {
    const path = repository();
    writeFileSync(join(path, "../secret"), "1".repeat(40));
    writeFileSync(join(path, ".git/HEAD"), text);
    expect(tree.head(path)).toBeNull();
  });

  test("a directory without a repository, or that is not there, has none", () => {
    const path = temporaryDirectory();
    expect([tree.head(path), tree.head(join(path, "missing"))]).toEqual([null, null]);
  });
});

describe("evidence", () => {
  test("a clean tree", async () => {
    const path = repository();
    const head = git(path, "rev-parse", "HEAD");
    expect(await tree.evidence(path, head)).toEqual({ head, branch: "main", dirty: false, untracked: 0, diffStat: "" });
  });

  test("commits and changed files since the turn began", async () => {
    const path = repository();
    const began = git(path, "rev-parse", "HEAD");
    writeFileSync(join(path, "second.txt"), "two\n");
    git(path, "add", ".");
    git(path, "commit", "--quiet", "--message=second");
    writeFileSync(join(path, "first.txt"), "one\nmore\n");
    const evidence = await tree.evidence(path, began);
    expect(evidence).toMatchObject({ head: git(path, "rev-parse", "HEAD"), branch: "main", dirty: true });
    expect(evidence?.diffStat).toMatch(/first\.txt.*\n.*second\.txt.*\n.*2 files changed, 2 insertions/);
  });

  test("untracked files make a tree dirty and are counted, a directory of them as one", async () => {
    const path = repository();
    writeFileSync(join(path, "new.txt"), "");
    mkdirSync(join(path, "directory"));
    for (const name of ["a", "b"]) writeFileSync(join(path, "directory", name), "");
    writeFileSync(join(path, "first.txt"), "changed\n");
    expect(await tree.evidence(path, null)).toMatchObject({ dirty: true, untracked: 2, diffStat: null });
  });

  test("a room on a part of the tree sees only that part", async () => {
    const path = repository();
    mkdirSync(join(path, "part"));
    writeFileSync(join(path, "part/file.txt"), "");
    git(path, "add", ".");
    git(path, "commit", "--quiet", "--message=part");
    writeFileSync(join(path, "first.txt"), "changed\n");
    const head = git(path, "rev-parse", "HEAD");
    expect(await tree.evidence(join(path, "part"), head)).toMatchObject({ dirty: false, diffStat: "" });
  });

  test("a detached head has no branch", async () => {
    const path = repository();
    git(path, "checkout", "--quiet", "--detach");
    expect(await tree.evidence(path, null)).toMatchObject({ branch: null, dirty: false });
  });

  test.each(["--output=stolen", "main", "f".repeat(40)])(
    "the start %s, which is no known commit, has no changes",
    async (since) => {
      const path = repository();
      expect(await tree.evidence(path, since)).toMatchObject({ branch: "main", diffStat: null });
      expect(existsSync(join(path, "stolen"))).toBe(false);
    },
  );

  test("the caller's GIT_ variables do not lead to another repository", async () => {
    const [path, other] = [repository(), repository()];
    git(other, "commit", "--quiet", "--allow-empty", "--message=other");
    const env = { ...process.env, GIT_DIR: join(other, ".git"), GIT_WORK_TREE: other };
    const evidence = await createWorkingTree({ home: null, env }).evidence(path, null);
    expect(evidence?.head).toBe(git(path, "rev-parse", "HEAD"));
  });

  test("a file monitor that the repository names is not started", async () => {
    const path = repository();
    const mark = join(path, "../started");
    git(path, "config", "core.fsmonitor", fakeGit(`touch ${mark}`));
    await tree.evidence(path, null);
    expect(existsSync(mark)).toBe(false);
  });

  test("where there is no repository no child is started", async () => {
    const path = temporaryDirectory();
    const mark = join(path, "started");
    const untouched = createWorkingTree({ home: null, gitProgram: fakeGit(`touch ${mark}`) });
    expect(await untouched.evidence(path, null)).toBeNull();
    expect(existsSync(mark)).toBe(false);
  });

  test("a repository in the home directory says nothing about the paths below", async () => {
    const home = repository();
    mkdirSync(join(home, "notes"));
    const atHome = createWorkingTree({ home });
    expect([atHome.head(join(home, "notes")), await atHome.evidence(join(home, "notes"), null)]).toEqual([null, null]);
    expect(atHome.head(home)).not.toBeNull();
  });
});

function fakeProgram(script: string): () => string {
  return () => fakeGit(script);
}

describe("a git that does not help", () => {
  test.each([
    ["is missing", "/nowhere/git"],
    ["fails", fakeProgram("exit 1")],
    ["hangs, with a child of its own that keeps the output open", fakeProgram("sleep 5 & sleep 5")],
  ])("%s: what the files say is still known", async (_, program) => {
    const path = repository();
    const gitProgram = typeof program === "string" ? program : program();
    const evidence = await createWorkingTree({ home: null, gitProgram, budgetMs: 100 }).evidence(path, "a".repeat(40));
    const head = git(path, "rev-parse", "HEAD");
    expect(evidence).toEqual({ head, branch: "main", dirty: null, untracked: null, diffStat: null });
  });

  test("the tree vanishes meanwhile: nothing is thrown", async () => {
    const path = repository();
    const pending = tree.evidence(path, null);
    rmSync(path, { recursive: true });
    await expect(pending).resolves.not.toBeUndefined();
  });
});

describe("a long list of changes", () => {
  const lines = Array.from({ length: 300 }, (_, index) => ` src/file-${index}.ts | 2 +-`);
  const stat = [...lines, " 300 files changed, 300 insertions(+)"].join("\n");

  test("is cut at a line, says how much is left out, and keeps the sum", () => {
    const cut = cutDiffStat(stat, 2000).split("\n");
    expect(cut.join("\n").length).toBeLessThanOrEqual(2000);
    const kept = cut.length - 2;
    expect(cut.slice(0, kept)).toEqual(lines.slice(0, kept));
    expect(cut.slice(kept)).toEqual([` (${300 - kept} more lines)`, " 300 files changed, 300 insertions(+)"]);
  });

  test("is left alone when it fits", () => {
    expect(cutDiffStat(stat, stat.length)).toBe(stat);
  });
});
