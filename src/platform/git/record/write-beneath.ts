/**
 * Writes and deletes files below a directory and never follows a link out of it, even if a directory on the way is
 * replaced meanwhile: each directory is opened from the one above it. Where the system has no paths by descriptor, the
 * directories are checked one by one before the write. Names have one character for each byte.
 */
import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  type Stats,
  symlinkSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import type { UnrestoredReason } from "../../../engine/ports/working-tree.ts";
import { createRandomness } from "../../clock/randomness.ts";
import { errorCode, isMissing } from "../../files/system-error.ts";

export interface NewFile {
  readonly kind: "file" | "executable" | "link";
  /** The target of a link. */
  readonly content: Buffer;
}

/** Null when it worked. */
type Outcome = UnrestoredReason | null;

const DESCRIPTORS = "/proc/self/fd";
const IGNORED_BY_FILE_SYSTEMS = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** Whether a name stays in the tree, and out of the directories that git reads as its own. */
export function isPlainName(name: string): boolean {
  const parts = Buffer.from(name, "latin1").toString("utf8").split("/");
  return parts.every((part) => {
    const seen = part.replace(IGNORED_BY_FILE_SYSTEMS, "").toLowerCase();
    return !["", ".", "..", ".git", "git~1"].includes(seen) && !part.includes("\0");
  });
}

export function writeBeneath(top: string, name: string, file: NewFile): Outcome {
  return inParent(top, name, true, (path, last) => {
    const there = look(path(last));
    if (there?.isDirectory()) rmdirSync(path(last));
    const beside = path(`.tt-new-${createRandomness().id()}`);
    try {
      if (file.kind === "link") symlinkSync(file.content, beside);
      else writeNewFile(beside, file, there);
      renameSync(beside, path(last));
    } catch (error) {
      unlinkQuietly(beside);
      throw error;
    }
    return null;
  });
}

/** Also removes the directories that are empty then. */
export function deleteBeneath(top: string, name: string): Outcome {
  const outcome = inParent(top, name, false, (path, last) => {
    if (look(path(last))?.isDirectory()) return "in_the_way";
    unlinkSync(path(last));
    return null;
  });
  if (outcome === null) removeEmpty(top, parentOf(name));
  return outcome;
}

/** Up to the first directory that has something in it. */
function removeEmpty(top: string, name: string): void {
  if (name === "") return;
  const outcome = inParent(top, name, false, (path, last) => {
    rmdirSync(path(last));
    return null;
  });
  if (outcome === null) removeEmpty(top, parentOf(name));
}

/** What is there; a link on the way is not followed. */
export function kindBeneath(top: string, name: string): "directory" | "other" | null {
  let found: Stats | null = null;
  inParent(top, name, false, (path, last) => {
    found = look(path(last));
    return null;
  });
  return found && ((found as Stats).isDirectory() ? "directory" : "other");
}

type Work = (path: (name: string) => Buffer, last: string) => Outcome;

function inParent(top: string, name: string, create: boolean, work: Work): Outcome {
  if (!isPlainName(name)) return "forbidden";
  const parts = name.split("/");
  const last = parts.pop() ?? "";
  const opened: number[] = [];
  const byDescriptor = existsSync(DESCRIPTORS);
  let here: Buffer = Buffer.from(top);
  const path = (part: string) => Buffer.concat([here, Buffer.from(`/${part}`, "latin1")]);
  const enter = (directory: Buffer) => {
    const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
    const file = openSync(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    opened.push(file);
    here = byDescriptor ? Buffer.from(`${DESCRIPTORS}/${file}`) : directory;
  };
  try {
    enter(here);
    for (const part of parts) {
      if (create && look(path(part)) === null) mkdirSync(path(part));
      enter(path(part));
      if (look(path(".git")) !== null) return "other_repository";
    }
    return work(path, last);
  } catch (error) {
    if (isMissing(error) && !create) return null;
    return reasonOf(errorCode(error));
  } finally {
    for (const file of opened) closeSync(file);
  }
}

function reasonOf(code: string): UnrestoredReason {
  if (["ENOSPC", "EDQUOT", "EFBIG"].includes(code)) return "disk_full";
  if (["ELOOP", "ENOTDIR", "EEXIST", "EISDIR", "ENOTEMPTY"].includes(code)) return "in_the_way";
  return "forbidden";
}

/** Other permissions than those to run it stay as they are. */
function writeNewFile(path: Buffer, { kind, content }: NewFile, there: Stats | null): void {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const file = openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, kind === "executable" ? 0o777 : 0o666);
  try {
    if (there?.isFile()) {
      const mode = there.mode & 0o777;
      fchmodSync(file, kind === "executable" ? mode | ((mode & 0o444) >> 2) : mode & ~0o111);
    }
    for (let written = 0; written < content.length; ) written += writeSync(file, content, written);
  } finally {
    closeSync(file);
  }
}

function look(path: Buffer): Stats | null {
  return lstatSync(path, { throwIfNoEntry: false }) ?? null;
}

function unlinkQuietly(path: Buffer): void {
  try {
    unlinkSync(path);
  } catch {
    // It was never created.
  }
}

function parentOf(name: string): string {
  return name.slice(0, Math.max(0, name.lastIndexOf("/")));
}
