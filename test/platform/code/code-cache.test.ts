import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { cacheDirectory, keptName, readKeptCode } from "../../../src/platform/code/code-cache.ts";
import { keepCode } from "../../../src/platform/code/keep-code.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const CODE = Uint8Array.from(Buffer.from("compiled"));

/** What is longer gets a place of its own. */
const ROOM = new Uint8Array(10);

const program = (digest: string) => ({ name: "tt", digest });

const read = (directory: string | null, digest: string, command = "join") =>
  readKeptCode(directory, keptName(program(digest), command), ROOM);

function ground() {
  const caches = temporaryDirectory();
  return { directory: join(caches, "tt") };
}

it("what was kept comes back, to the same program and command only", () => {
  const { directory } = ground();
  expect(keepCode(directory, program("one"), "join", CODE)).toBe(true);
  expect(read(directory, "one")).toEqual(CODE);
  expect(read(directory, "two")).toBeNull();
  expect(read(directory, "one", "leave")).toBeNull();
});

it("code that is longer than the room for it comes back whole", () => {
  const { directory } = ground();
  const long = new Uint8Array(1000).fill(7);
  keepCode(directory, program("one"), "join", long);
  expect(read(directory, "one")).toEqual(long);
});

/** As if it had been kept that many minutes ago. */
function keptAgo(directory: string, digest: string, minutes: number): void {
  keepCode(directory, program(digest), "join", CODE);
  keepCode(directory, program(digest), "leave", CODE);
  const thenS = Date.now() / 1000 - 60 * minutes;
  for (const command of ["join", "leave"])
    utimesSync(join(directory, keptName(program(digest), command)), thenS, thenS);
}

it("four versions of a program lie side by side, and the fifth clears away the oldest, for any command", () => {
  const { directory } = ground();
  for (const [digest, minutes] of [
    ["c", 3],
    ["old", 9],
    ["b", 2],
    ["a", 1],
  ] as const)
    keptAgo(directory, digest, minutes);
  const left = `${keptName(program("old"), "join")}.tt-new-1`;
  writeFileSync(join(directory, left), "left by a process that was killed");
  utimesSync(join(directory, left), 0, 0);
  const ofAnother = "hook-claude-stop.old-v20.0.0-x64.code";
  writeFileSync(join(directory, ofAnother), "of another program");
  expect(["a", "b", "c", "old"].map((digest) => read(directory, digest))).toEqual([CODE, CODE, CODE, CODE]);
  keepCode(directory, program("next"), "kick", CODE);
  expect(["a", "b", "c", "old"].map((digest) => read(directory, digest))).toEqual([CODE, CODE, CODE, null]);
  expect(readdirSync(directory).filter((file) => file.includes("old"))).toEqual([ofAnother]);
});

it("a version that is kept for another command counts as new", () => {
  const { directory } = ground();
  for (const [digest, minutes] of [
    ["used", 9],
    ["a", 3],
    ["b", 2],
    ["c", 1],
  ] as const)
    keptAgo(directory, digest, minutes);
  keepCode(directory, program("used"), "kick", CODE);
  keepCode(directory, program("next"), "join", CODE);
  expect(read(directory, "used")).toEqual(CODE);
  expect(read(directory, "a")).toBeNull();
});

it.each<[what: string, spoil: (directory: string, file: string) => void]>([
  ["that others can write", (_, file) => chmodSync(file, 0o622)],
  ["in a directory of others", (directory) => chmodSync(directory, 0o777)],
  ["behind a link", (_, file) => (renameSync(file, `${file}.old`), symlinkSync(`${file}.old`, file))],
  ["that is empty", (_, file) => writeFileSync(file, "")],
  ["that is a pipe", (_, file) => (unlinkSync(file), execFileSync("mkfifo", ["-m", "600", file]))],
  ["that is a directory", (_, file) => (unlinkSync(file), mkdirSync(file, { mode: 0o700 }))],
])("code %s is not run", (_, spoil) => {
  const { directory } = ground();
  keepCode(directory, program("one"), "join", CODE);
  const [file = ""] = readdirSync(directory);
  spoil(directory, join(directory, file));
  expect(read(directory, "one")).toBeNull();
});

it("where nothing can be kept, nothing is, and nobody minds", () => {
  const directory = join(temporaryDirectory(), "tt");
  writeFileSync(directory, "in the way");
  expect(keepCode(directory, program("one"), "join", CODE)).toBe(false);
  expect(read(directory, "one")).toBeNull();
  expect(read(null, "one")).toBeNull();
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
  expect(keepCode(directory, program("one"), "join", CODE)).toBe(false);
  expect(readdirSync(directory)).toEqual([]);
});
