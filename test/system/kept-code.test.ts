import { chmodSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openKeptCode } from "../../src/system/kept-code.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const KEPT = { code: Buffer.from("compiled"), commands: ["join", "try"] };

const program = (digest: string) => ({ name: "tt", digest });

function ground() {
  const caches = temporaryDirectory();
  return { env: { XDG_CACHE_HOME: caches }, directory: join(caches, "tt") };
}

it("what was kept comes back, to the same program only", () => {
  const { env } = ground();
  openKeptCode(env, program("one")).write(KEPT);
  expect(openKeptCode(env, program("one")).read()).toEqual(KEPT);
  expect(openKeptCode(env, program("two")).read()).toBeNull();
});

it("a new version of the program clears away what the old one kept", () => {
  const { env, directory } = ground();
  openKeptCode(env, program("old")).write(KEPT);
  openKeptCode(env, program("new")).write(KEPT);
  expect(readdirSync(directory)).toEqual([`tt-new-${process.version}-${process.arch}.code`]);
});

it.each<[what: string, spoil: (directory: string, file: string) => void]>([
  ["that others can write", (_, file) => chmodSync(file, 0o622)],
  ["in a directory of others", (directory) => chmodSync(directory, 0o777)],
  ["behind a link", (_, file) => (renameSync(file, `${file}.old`), symlinkSync(`${file}.old`, file))],
  ["that is empty", (_, file) => writeFileSync(file, "")],
  ["that is cut", (_, file) => writeFileSync(file, Buffer.from([1, 2, 255, 255, 255, 255]))],
])("code %s is not run", (_, spoil) => {
  const { env, directory } = ground();
  const kept = openKeptCode(env, program("one"));
  kept.write(KEPT);
  const [file = ""] = readdirSync(directory);
  spoil(directory, join(directory, file));
  expect(kept.read()).toBeNull();
});

it("where nothing can be kept, nothing is, and nobody minds", () => {
  const caches = temporaryDirectory();
  writeFileSync(join(caches, "tt"), "in the way");
  for (const env of [{}, { HOME: "relative" }, { XDG_CACHE_HOME: caches }]) {
    const kept = openKeptCode(env, program("one"));
    kept.write(KEPT);
    expect(kept.read()).toBeNull();
  }
});

it("a directory that others can use is left alone", () => {
  const { env, directory } = ground();
  mkdirSync(directory, { mode: 0o777 });
  chmodSync(directory, 0o777);
  openKeptCode(env, program("one")).write(KEPT);
  expect(readdirSync(directory)).toEqual([]);
});
