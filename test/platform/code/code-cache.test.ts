import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
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

const MEGABYTE = 1_048_576;

/** As if that much had been kept so many hours ago, and not used since. */
function keptAgo(directory: string, name: string, hours: number, bytes = 10 * MEGABYTE): void {
  const file = join(directory, name);
  writeFileSync(file, CODE, { mode: 0o600 });
  truncateSync(file, bytes);
  const thenS = Date.now() / 1000 - 3600 * hours;
  utimesSync(file, thenS, thenS);
}

const nameOf = (digest: string, command = "join") => keptName(program(digest), command);

it("of all that is kept, 32 MB stay, and what was not used for the longest time goes", () => {
  const { directory } = ground();
  mkdirSync(directory, { mode: 0o700 });
  const names = ["a", "b", "c"].map((digest) => nameOf(digest));
  for (const [index, name] of names.entries()) keptAgo(directory, name, 3 + index);
  const left = [`${nameOf("d")}.tt-new-1`, "tt.join-e-v20.0.0-x64.code", "hook-claude-stop.e-v20.0.0-x64.code"];
  for (const name of left) keptAgo(directory, name, 9, 2 * MEGABYTE);
  writeFileSync(join(directory, "of another kind"), "");
  utimesSync(join(directory, "of another kind"), 0, 0);
  keepCode(directory, program("next"), "kick", new Uint8Array(MEGABYTE));
  const others = [nameOf("next", "kick"), "of another kind"];
  expect(readdirSync(directory).toSorted()).toEqual([...names, ...others].toSorted());
  keepCode(directory, program("next"), "leave", new Uint8Array(5 * MEGABYTE));
  expect(readdirSync(directory).toSorted()).toEqual(
    [...names.slice(0, 2), nameOf("next", "leave"), ...others].toSorted(),
  );
});

it("what is used is marked, and stays when others are kept after it", () => {
  const { directory } = ground();
  mkdirSync(directory, { mode: 0o700 });
  for (const [digest, hours] of [
    ["used", 9],
    ["a", 3],
    ["b", 2],
  ] as const)
    keptAgo(directory, nameOf(digest), hours);
  expect(read(directory, "used")).not.toBeNull();
  keepCode(directory, program("next"), "join", new Uint8Array(5 * MEGABYTE));
  expect(readdirSync(directory)).toEqual(["b", "next", "used"].map((digest) => nameOf(digest)));
});

it("what was used within the hour is not marked again", () => {
  const { directory } = ground();
  mkdirSync(directory, { mode: 0o700 });
  keptAgo(directory, nameOf("one"), 0.9, CODE.length);
  const { mtimeMs } = statSync(join(directory, nameOf("one")));
  expect(read(directory, "one")).toEqual(CODE);
  expect(statSync(join(directory, nameOf("one"))).mtimeMs).toBe(mtimeMs);
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
