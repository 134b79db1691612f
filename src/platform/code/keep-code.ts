/** Writes what code-cache.ts reads. A bundle of its own: most commands find their code kept already. */
import {
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { pathIn } from "../files/path-in.ts";
import { CODE_SUFFIX, FOR_OTHERS, type KeptProgram, keptName } from "./code-cache.ts";

/** False when it could not be kept. */
export function keepCode(directory: string, program: KeptProgram, command: string, code: Uint8Array): boolean {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const { uid, mode } = lstatSync(directory);
    if (uid !== process.getuid?.() || (mode & FOR_OTHERS) !== 0) return false;
    write(directory, keptName(program, command), code);
    removeOthers(directory, program);
    return true;
  } catch {
    // Not ours, or not writable: the program is compiled again, which is all it costs.
    return false;
  }
}

/** Writes a file beside it first, so that no process reads a part. */
function write(directory: string, name: string, code: Uint8Array): void {
  const beside = pathIn(directory, `${process.pid}${CODE_SUFFIX}`);
  const file = openSync(
    beside,
    constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
    0o600,
  );
  try {
    fchmodSync(file, 0o600);
    // A full disk takes a part and says nothing.
    if (writeSync(file, code) !== code.length) throw new Error("only a part was written");
    fsyncSync(file);
    renameSync(beside, pathIn(directory, name));
  } catch (error) {
    unlinkSync(beside);
    throw error;
  } finally {
    closeSync(file);
  }
}

/** Those of other versions of the program, for any command. Older versions kept one file for all commands. */
function removeOthers(directory: string, { name, digest }: KeptProgram): void {
  for (const file of readdirSync(directory)) {
    const isOfIt = file.endsWith(CODE_SUFFIX) && (file.startsWith(`${name}.`) || file.startsWith(`${name}-`));
    if (isOfIt && !file.includes(`-${digest}-`)) unlinkSync(pathIn(directory, file));
  }
}
