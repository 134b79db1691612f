/**
 * Sorts the paths in which a working tree differs from our index: what goes into the snapshot, what leaves it, and what
 * is left out. Names are texts with one character for each byte.
 */
import { accessSync, constants, lstatSync, type Stats } from "node:fs";
import type { LeftOut } from "../../../stick/rules/snapshot.ts";
import { pathIn } from "../../files/path-in.ts";
import { isMissing } from "../../files/system-error.ts";

export interface ListedPaths {
  /** Git reads them again, or notes that they are gone. */
  readonly update: readonly string[];
  /** Those in our index that must not stay there. */
  readonly drop: readonly string[];
  readonly leftOut: readonly LeftOutBytes[];
}

export interface LeftOutBytes {
  readonly name: string;
  readonly why: LeftOut["why"];
}

/** Larger files are left out. */
const MAX_FILE_BYTES = 10 * 1024 * 1024;
const UNREADABLE_DIRECTORY = /could not open directory '(.+?)\/?': /g;

/** `lines` is what `ls-files -t -z` printed, `errors` what it complained about. */
export function sortListed(topLevel: string, lines: string, errors: string): ListedPaths {
  const update = new Set<string>();
  const drop = new Set<string>();
  const leftOut = new Map<string, LeftOut["why"]>();
  const around = directoryFinder(topLevel);
  for (const line of lines.split("\0")) {
    const name = line.slice(2);
    if (name === "") continue;
    const isOther = line.startsWith("? ");
    const { nested: parent, isLinked } = around(parentOf(name));
    // Git lists a repository inside of the tree as a directory.
    const nested = name.endsWith("/") ? name.slice(0, -1) : parent;
    const judged = nested !== null || isLinked ? { leaves: true } : judge(topLevel, name);
    if (nested !== null && !isLinked) leftOut.set(nested, "nested_repository");
    else if (judged.why) leftOut.set(name, judged.why);
    if (!judged.leaves) update.add(name);
    else if (!isOther) drop.add(name);
  }
  for (const [, name = ""] of errors.matchAll(UNREADABLE_DIRECTORY)) leftOut.set(name, "unreadable");
  return {
    update: [...update],
    drop: [...drop],
    leftOut: [...leftOut].map(([name, why]) => ({ name, why })).toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

interface Judged {
  readonly leaves: boolean;
  readonly why?: LeftOut["why"];
}

function judge(topLevel: string, name: string): Judged {
  const path = bytePath(topLevel, name);
  let stats: Stats;
  try {
    stats = lstatSync(path);
  } catch (error) {
    // If it is gone, git notes that. If a directory above cannot be entered, nothing is known of it.
    return isMissing(error) ? { leaves: false } : { leaves: true, why: "unreadable" };
  }
  if (stats.isSymbolicLink()) return { leaves: false };
  // A directory, pipe, socket or device where a file was.
  if (!stats.isFile()) return { leaves: true };
  if (stats.size > MAX_FILE_BYTES) return { leaves: true, why: "too_large" };
  return isReadable(path) ? { leaves: false } : { leaves: true, why: "unreadable" };
}

function isReadable(path: Buffer): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    // Another user's, or without permissions.
    return false;
  }
}

interface Around {
  /** The repository below the top that a directory is or lies in. Git does not notice one around files it knows. */
  readonly nested: string | null;
  /** Whether it is reached through a link. Git may find files there, but they have other names. */
  readonly isLinked: boolean;
}

function directoryFinder(topLevel: string): (directory: string) => Around {
  const known = new Map<string, Around>([["", { nested: null, isLinked: false }]]);
  const around = (directory: string): Around => {
    const before = known.get(directory);
    if (before !== undefined) return before;
    const above = around(parentOf(directory));
    const found = {
      nested: above.nested ?? (statsOrNull(topLevel, `${directory}/.git`) ? directory : null),
      isLinked: above.isLinked || statsOrNull(topLevel, directory)?.isSymbolicLink() === true,
    };
    known.set(directory, found);
    return found;
  };
  return around;
}

function parentOf(name: string): string {
  return name.slice(0, Math.max(0, name.lastIndexOf("/")));
}

function statsOrNull(topLevel: string, name: string): Stats | null {
  try {
    return lstatSync(bytePath(topLevel, name), { throwIfNoEntry: false }) ?? null;
  } catch {
    // A directory cannot be entered, and neither can what is in it.
    return null;
  }
}

/** The path of a name that need not be text. */
export function bytePath(topLevel: string, name: string): Buffer {
  return Buffer.concat([Buffer.from(pathIn(topLevel, "")), Buffer.from(name, "latin1")]);
}

/** A name for people. Bytes that are no text become question marks. */
export function nameText(name: string): string {
  return Buffer.from(name, "latin1").toString("utf8");
}

/** A text of a person as a name. */
export function nameBytes(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}
