/** The installed git, and those that install-gits.mjs has put into .cache/git. */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";

export interface TestedGit {
  readonly version: string;
  /** 2039 for 2.39. */
  readonly number: number;
  /** Where it is; null for the installed one. */
  readonly directory: string | null;
}

const cache = resolve(import.meta.dirname, "../../../.cache/git");

export function gitsToTest(): readonly TestedGit[] {
  const names = existsSync(cache) ? readdirSync(cache) : [];
  const directories = [null, ...names.map((name) => join(cache, name, "bin"))];
  const gits = directories.flatMap((directory) => gitIn(directory) ?? []);
  if (!gits.some(({ number }) => number >= 2054))
    process.stderr.write("SKIPPED: hooks in the configuration of git: there is no git 2.54 or newer in .cache/git\n");
  return gits;
}

function gitIn(directory: string | null): TestedGit | null {
  const { stdout } = spawnSync(directory === null ? "git" : join(directory, "git"), ["--version"], {
    encoding: "utf8",
  });
  const [, version, major, minor] = /^git version ((\d+)\.(\d+)\S*)/.exec(stdout ?? "") ?? [];
  return version === undefined ? null : { version, number: Number(major) * 1000 + Number(minor), directory };
}
