/**
 * In which directories a write to a path may land. A link counts twice: a tool may write through it or replace it. A
 * directory above a guarded room counts as that room, because what is done to it is done to everything below.
 */
import { lstatSync, readlinkSync, statSync } from "node:fs";
import { dirname, isAbsolute, resolve } from "node:path";
import { isRefusal } from "../../core/refusal.ts";
import type { GuardedRoom, WritePlaces } from "../../engine/ports/guard-files.ts";
import type { Workspace } from "../../engine/ports/workspace.ts";
import { isDirectory } from "../files/list-names.ts";
import { isWithin } from "../files/path-in.ts";
import { realPathOrNull } from "../files/real-place.ts";
import { ancestorsOf, findCheckout } from "./git-checkout.ts";

/** As many as the system follows. */
const MOST_LINKS = 40;

/** `home`: a repository in it says nothing about the paths below it. */
export function createWritePlaces(
  workspace: Workspace,
  guardedRooms: () => readonly GuardedRoom[],
  home: string | null = null,
): WritePlaces {
  const realHome = home && realPathOrNull(home);
  return async (path, from) => {
    if ([path, ...from].some((each) => each.includes("\0"))) return { above: [], below: [] };
    const guarded = guardedRooms();
    // A shell follows `link/..` to where the link leads; other programs drop both words first.
    const ends = [resolve(...from, path), [...from, path].reduce(below)].flatMap((each) => endsOf(each));
    const directories = new Set(ends.map((end) => directoryOf(end)).filter((directory) => directory !== null));
    const found: (readonly string[])[] = [];
    for (const directory of directories) {
      const place = await workspace.locate(directory);
      if (isRefusal(place)) continue;
      // Without a repository around, nothing but another room ends a room.
      const candidates = findCheckout(directory, realHome) ? place.candidates : ancestorsOf(directory);
      found.push(candidates.flatMap((each) => [each, ...sameDirectories(each, guarded)]));
    }
    const reals = ends.map((end) => realPathOrNull(end)).filter((real) => real !== null);
    const inside = guarded.filter((room) => reals.some((real) => real !== room.path && isWithin(real, room.path)));
    return { above: found, below: inside.map((room) => room.path) };
  };
}

/** Unlike `resolve`, keeps `..` for the system to follow. */
function below(directory: string, path: string): string {
  return isAbsolute(path) ? path : `${directory}/${path}`;
}

/** The path itself, and where it leads if it is a link. */
function endsOf(path: string): readonly string[] {
  const ends = [path];
  for (let links = 0; links < MOST_LINKS; links += 1) {
    const target = linkTarget(ends.at(-1) ?? path);
    if (target === null) break;
    ends.push(target);
  }
  return ends;
}

function linkTarget(path: string): string | null {
  try {
    const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    return isLink ? below(dirname(path), readlinkSync(path)) : null;
  } catch {
    // A path that this process may not look at is no link for it.
    return null;
  }
}

/** The directory that is there and nearest to the path, without links; for a directory, itself; for a link, where it is. */
function directoryOf(path: string): string | null {
  for (let at = linkTarget(path) === null ? path : dirname(path); ; at = dirname(at)) {
    const real = realPathOrNull(at);
    if (real !== null) return isDirectory(real) ? real : dirname(real);
    if (at === dirname(at)) return null;
  }
}

/** The same directory under another path: a bind mount, or other letters where case does not matter. */
function sameDirectories(path: string, guarded: readonly GuardedRoom[]): readonly string[] {
  const key = keyOf(path);
  return guarded.map((room) => room.path).filter((other) => other !== path && key !== null && keyOf(other) === key);
}

function keyOf(path: string): string | null {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev} ${ino}`;
  } catch {
    // It has vanished.
    return null;
  }
}
