/** The file of a recording: written beside its place and then moved there, so that a half of it is never seen. */
import { accessSync, constants, existsSync, linkSync, lstatSync, renameSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type Refusal, refuse } from "../../core/refusal.ts";
import { shellWord } from "../../core/shell-word.ts";
import { createRandomness } from "../clock/randomness.ts";
import { removeQuietly, writeNew } from "../files/replace-file.ts";
import { errorCode, isMissing } from "../files/system-error.ts";

interface RecordingFile {
  readonly path: string;
  /** Whether a file that is there may be replaced. */
  readonly replace: boolean;
}

/** Why the file cannot be written there, as far as that can be seen before; null if nothing is in the way. */
export function obstacleTo({ path, replace }: RecordingFile): Refusal<"invalid_path"> | null {
  const directory = dirname(path);
  try {
    if (!isDirectory(directory)) return noDirectory(path, directory);
    accessSync(directory, constants.W_OK | constants.X_OK);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return null;
    if (isDirectory(path)) {
      return problem(path, `${path} is a directory.`, `Name a file in it: ${shellWord(join(path, "recording.html"))}`);
    }
    if (!stats.isFile() && !stats.isSymbolicLink()) return problem(path, `${path} is not a regular file.`, ELSEWHERE);
    return replace ? null : isThere(path);
  } catch (error) {
    return cannotWrite(path, error);
  }
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** Only its user may read it. */
export function writeRecording(file: RecordingFile, text: string): Refusal<"invalid_path"> | null {
  const { path, replace } = file;
  const beside = join(dirname(path), `.${basename(path).slice(0, 50)}.tt-new-${createRandomness().id()}`);
  try {
    writeNew(beside, [Buffer.from(text)], 0o600, { durable: true });
    // What is in the way may have come while the recording was made.
    const obstacle = obstacleTo(file);
    if (obstacle) return obstacle;
    if (replace) renameSync(beside, path);
    else moveToFreePlace(beside, path);
    return null;
  } catch (error) {
    return obstacleTo(file) ?? cannotWrite(path, error);
  } finally {
    removeQuietly(beside);
  }
}

/** A link never replaces anything. Some file systems have no links. */
function moveToFreePlace(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    if (errorCode(error) === "EEXIST") throw error;
    renameSync(from, to);
  }
}

const ELSEWHERE = "Name another file.";
const BECAUSE: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "your share of the disk is full",
  ENAMETOOLONG: "the name is too long",
  ENOENT: "the directory takes no new files",
};

function cannotWrite(path: string, error: unknown): Refusal<"invalid_path"> {
  const code = errorCode(error);
  if (code === "") throw error;
  if (code === "EEXIST") return isThere(path);
  return problem(path, `${path} could not be written: ${BECAUSE[code] ?? code}.`, ELSEWHERE);
}

function isThere(path: string): Refusal<"invalid_path"> {
  return problem(path, `${path} is there already.`, "Name another file, or add --force to replace it.");
}

function noDirectory(path: string, directory: string): Refusal<"invalid_path"> {
  if (existsSync(directory)) return problem(path, `${directory} is not a directory.`, ELSEWHERE);
  const next = `Create it first: mkdir -p ${shellWord(directory)}`;
  return problem(path, `There is no directory ${directory}.`, next);
}

function problem(path: string, message: string, next: string): Refusal<"invalid_path"> {
  return refuse("invalid_path", message, next, { path });
}

export function sha256Base64(text: string): string {
  return process.getBuiltinModule("node:crypto").createHash("sha256").update(text).digest("base64");
}

/** By gzip, in base64. Meanwhile the program hears a signal. */
export function gzipBase64(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    process
      .getBuiltinModule("node:zlib")
      .gzip(text, { level: 9 }, (error, bytes) => (error ? reject(error) : resolve(bytes.toString("base64"))));
  });
}
