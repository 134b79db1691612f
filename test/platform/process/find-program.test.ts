import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findProgram, isOnPath, programIn, safePath } from "../../../src/platform/process/find-program.ts";
import { git, makeRepository } from "../../support/git-repository.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

function program(directory: string, name = "tool"): string {
  mkdirSync(directory, { recursive: true });
  const path = join(directory, name);
  writeFileSync(path, "#!/bin/sh\n");
  chmodSync(path, 0o755);
  return path;
}

test("a command is found in the first directory of the path that has it", () => {
  const root = temporaryDirectory();
  const first = program(join(root, "a"));
  program(join(root, "b"));
  const env = { PATH: `${root}/none:${root}/a:${root}/b` };
  expect([findProgram(env, "tool"), isOnPath(env, "tool")]).toEqual([first, true]);
  expect(findProgram(env, "other")).toBeNull();
});

test("a file that cannot be run, or a directory, is no command", () => {
  const root = temporaryDirectory();
  writeFileSync(join(root, "plain"), "");
  mkdirSync(join(root, "directory"));
  expect(["plain", "directory"].map((name) => findProgram({ PATH: root }, name))).toEqual([null, null]);
});

test("empty and relative entries are not searched", () => {
  for (const path of ["", ":", ".", "::.:..", "test:src:./node_modules/.bin"]) {
    expect([path, findProgram({ PATH: path }, "package.json"), safePath({ PATH: path })]).toEqual([path, null, []]);
  }
});

test("without a path the usual places are searched", () => {
  expect(findProgram({}, "sh")).toMatch(/^(\/usr)?\/bin\/sh$/);
});

test("what lies in the working tree, in those around it or in the main one is passed over, also behind a link", () => {
  const root = temporaryDirectory();
  const tree = makeRepository(join(root, "app"));
  const inner = makeRepository(join(tree, "inner"));
  git(tree, "worktree", "add", "--quiet", join(root, "side"));
  const inTree = program(join(tree, "node_modules/.bin"));
  program(join(inner, "bin"));
  const outside = program(join(root, "bin"));
  symlinkSync(join(tree, "node_modules/.bin"), join(root, "link"));
  const env = { PATH: [`${tree}/node_modules/.bin`, `${root}/link`, `${inner}/bin`, `${root}/bin`].join(":") };
  for (const place of [tree, inner, join(inner, "bin")]) expect(programIn(safePath(env, place), "tool")).toBe(outside);
  expect(programIn(safePath(env, join(root, "side")), "tool")).toBe(outside);
  expect(programIn(safePath(env, root), "tool")).toBe(inTree);
  expect(safePath(env, inner)).toEqual([`${root}/bin`]);
});

test("a repository in the home directory does not hide the programs that a person keeps there", () => {
  const home = makeRepository(join(temporaryDirectory(), "home"));
  const own = program(join(home, ".local/bin"));
  mkdirSync(join(home, "project"));
  const env = { HOME: home, PATH: `${home}/.local/bin` };
  expect([home, join(home, "project")].map((place) => programIn(safePath(env, place), "tool"))).toEqual([own, own]);
});
