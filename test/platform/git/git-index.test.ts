import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { copyIndexWithoutGitlinks } from "../../../src/platform/git/git-index.ts";
import { git, makeRepository } from "../../support/git-repository.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const COMMIT = "1234567890123456789012345678901234567890";

function repository(): string {
  const path = makeRepository(join(temporaryDirectory(), "app"));
  const names = ["a/.gitattributes", "a/b/deep/name.txt", "a/b/other.txt", "b.gitattributes", "x".repeat(200), "z.txt"];
  for (const name of names) {
    git(path, "update-index", "--add", "--cacheinfo", `100644,${git(path, "rev-parse", "HEAD:first.txt")},${name}`);
  }
  return path;
}

function indexOf(path: string): Buffer {
  return readFileSync(join(path, ".git/index"));
}

/** What git finds in a copy that takes the index's place. */
function readBack(path: string, bytes: Buffer): string {
  writeFileSync(join(path, ".git/index"), bytes);
  return git(path, "ls-files", "--stage", "--debug");
}

describe.each(["2", "4"])("an index of version %s", (version) => {
  test("without submodules is copied as it is, and names its attribute files", () => {
    const path = repository();
    git(path, "update-index", "--index-version", version);
    const listed = git(path, "ls-files", "--stage", "--debug");
    const copy = copyIndexWithoutGitlinks(indexOf(path), 20);
    expect(copy).toMatchObject({ gitlinks: [], attributeFiles: ["a/.gitattributes"] });
    expect(readBack(path, Buffer.concat(copy?.parts ?? []))).toBe(listed);
  });

  test("loses its submodules and nothing else", () => {
    const path = repository();
    // Some names continue others, and this flag is one that only later versions have.
    git(path, "update-index", "--skip-worktree", "a/b/other.txt");
    const before = git(path, "ls-files", "--stage", "--debug");
    for (const name of ["a/b/link", "y"]) git(path, "update-index", "--add", "--cacheinfo", `160000,${COMMIT},${name}`);
    git(path, "update-index", "--index-version", version);
    const copy = copyIndexWithoutGitlinks(indexOf(path), 20);
    expect(copy?.gitlinks).toEqual([
      { path: "a/b/link", commit: COMMIT, stage: 0 },
      { path: "y", commit: COMMIT, stage: 0 },
    ]);
    expect(readBack(path, Buffer.concat(copy?.parts ?? []))).toBe(before);
  });
});

test("a side of a merge is told", () => {
  const path = repository();
  git(path, "update-index", "--add", "--cacheinfo", `160000,${COMMIT},link`);
  const staged = indexOf(path);
  // It is in two bits of the flags, which follow the id.
  const flagsAt = staged.indexOf(Buffer.from(COMMIT, "hex")) + 20;
  staged.writeUInt16BE(staged.readUInt16BE(flagsAt) | 0x2000, flagsAt);
  expect(copyIndexWithoutGitlinks(staged, 20)?.gitlinks).toEqual([{ path: "link", commit: COMMIT, stage: 2 }]);
});

describe("an index that cannot be read by itself is none", () => {
  test("a split one", () => {
    const path = repository();
    git(path, "update-index", "--split-index");
    expect(copyIndexWithoutGitlinks(indexOf(path), 20)).toBeNull();
  });

  test("a sparse one", () => {
    const path = repository();
    git(path, "commit", "--quiet", "--message=second");
    git(path, "sparse-checkout", "set", "--cone", "--sparse-index", "none");
    expect(git(path, "ls-files", "--sparse", "--stage")).toMatch(/^040000 /m);
    expect(copyIndexWithoutGitlinks(indexOf(path), 20)).toBeNull();
  });

  test("one of an unknown version", () => {
    const index = indexOf(repository());
    index.writeUInt32BE(5, 4);
    expect(copyIndexWithoutGitlinks(index, 20)).toBeNull();
  });

  test("one that ends early, wherever that is", () => {
    const index = indexOf(repository());
    const whole = copyIndexWithoutGitlinks(index, 20);
    for (let length = 0; length < index.length; length += 1) {
      const copy = copyIndexWithoutGitlinks(index.subarray(0, length), 20);
      // What is cut off may have been the checksum or what is not kept; then the entries are whole.
      if (copy !== null) expect(copy.attributeFiles).toEqual(whole?.attributeFiles);
    }
  });

  test("nothing that stands there throws", () => {
    const index = indexOf(repository());
    for (let at = 0; at < index.length; at += 1) {
      for (const byte of [0x00, 0x7f, 0xff]) {
        const damaged = Buffer.from(index);
        damaged[at] = byte;
        copyIndexWithoutGitlinks(damaged, 20);
      }
    }
  });
});
