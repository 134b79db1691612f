import { chmodSync, mkdirSync, readdirSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { EVERYDAY_NAMES } from "../../src/main/program-for.ts";
import { keepCode } from "../../src/system/keep-code.ts";
import { bitOf, cacheDirectory, readKeptCode } from "../../src/system/kept-code.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const KEPT = { code: Uint8Array.from(Buffer.from("compiled")), commands: bitOf("join") | bitOf("try") };

/** What is longer gets a place of its own. */
const ROOM = new Uint8Array(20);

const program = (digest: string) => ({ name: "tt", digest });

function ground() {
  const caches = temporaryDirectory();
  return { directory: join(caches, "tt") };
}

it("what was kept comes back, to the same program only", () => {
  const { directory } = ground();
  keepCode(directory, program("one"), KEPT);
  expect(readKeptCode(directory, program("one"), ROOM)).toEqual(KEPT);
  expect(readKeptCode(directory, program("two"), ROOM)).toBeNull();
});

it("code that is longer than the room for it comes back whole", () => {
  const { directory } = ground();
  const kept = { ...KEPT, code: new Uint8Array(1000).fill(7) };
  keepCode(directory, program("one"), kept);
  expect(readKeptCode(directory, program("one"), ROOM)).toEqual(kept);
});

it("a new version of the program clears away what the old one kept", () => {
  const { directory } = ground();
  keepCode(directory, program("old"), KEPT);
  keepCode(directory, program("new"), KEPT);
  expect(readdirSync(directory)).toEqual([`tt-new-${process.version}-${process.arch}.code`]);
});

it.each<[what: string, spoil: (directory: string, file: string) => void]>([
  ["that others can write", (_, file) => chmodSync(file, 0o622)],
  ["in a directory of others", (directory) => chmodSync(directory, 0o777)],
  ["behind a link", (_, file) => (renameSync(file, `${file}.old`), symlinkSync(`${file}.old`, file))],
  ["that is empty", (_, file) => writeFileSync(file, "")],
  ["that is cut", (_, file) => writeFileSync(file, Buffer.from([1, 2, 3, 4]))],
  ["that is a directory", (_, file) => (unlinkSync(file), mkdirSync(file, { mode: 0o700 }))],
])("code %s is not run", (_, spoil) => {
  const { directory } = ground();
  keepCode(directory, program("one"), KEPT);
  const [file = ""] = readdirSync(directory);
  spoil(directory, join(directory, file));
  expect(readKeptCode(directory, program("one"), ROOM)).toBeNull();
});

it("where nothing can be kept, nothing is, and nobody minds", () => {
  const directory = join(temporaryDirectory(), "tt");
  writeFileSync(directory, "in the way");
  keepCode(directory, program("one"), KEPT);
  expect(readKeptCode(directory, program("one"), ROOM)).toBeNull();
  expect(readKeptCode(null, program("one"), ROOM)).toBeNull();
});

it.each([
  [{ XDG_CACHE_HOME: "/caches", HOME: "/home/ann" }, "/caches/tt"],
  [{ XDG_CACHE_HOME: "relative", HOME: "/home/ann" }, "/home/ann/.cache/tt"],
  [{ HOME: "/home/ann" }, "/home/ann/.cache/tt"],
  [{ HOME: "relative" }, null],
  [{}, null],
])("with %j it is kept in %s", (env, directory) => {
  expect(cacheDirectory(env)).toBe(directory);
});

it("a directory that others can use is left alone", () => {
  const { directory } = ground();
  mkdirSync(directory, { mode: 0o777 });
  chmodSync(directory, 0o777);
  keepCode(directory, program("one"), KEPT);
  expect(readdirSync(directory)).toEqual([]);
});

it("every command that agents run all day has a bit of its own", () => {
  const words = new Set(EVERYDAY_NAMES.map((name) => name.split(" ")[0] ?? ""));
  expect(new Set([...words].map(bitOf)).size).toBe(words.size);
});
