/** Writes what kept-code.ts reads. A bundle of its own: most commands find their code kept already. */
import {
  closeSync,
  constants,
  fchmodSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { CODE_SUFFIX, COMMANDS_BYTES, FOR_OTHERS, type KeptCode, type KeptProgram, keptName } from "./kept-code.ts";
import { pathIn } from "./path-in.ts";

export function keepCode(directory: string, program: KeptProgram, kept: KeptCode): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const { uid, mode } = lstatSync(directory);
    if (uid !== process.getuid?.() || (mode & FOR_OTHERS) !== 0) return;
    write(directory, keptName(program), kept);
    removeOthers(directory, program);
  } catch {
    // Not ours, or not writable: the program is compiled again, which is all it costs.
  }
}

/** By way of a file beside it, so that nobody reads a part. */
function write(directory: string, name: string, { code, commands }: KeptCode): void {
  const behind = Buffer.alloc(COMMANDS_BYTES);
  behind.writeInt32LE(commands);
  const beside = pathIn(directory, `${process.pid}${CODE_SUFFIX}`);
  const file = openSync(
    beside,
    constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
    0o600,
  );
  try {
    fchmodSync(file, 0o600);
    writeSync(file, Buffer.concat([code, behind]));
    renameSync(beside, pathIn(directory, name));
  } catch {
    unlinkSync(beside);
  } finally {
    closeSync(file);
  }
}

/** Those of other versions of the program. */
function removeOthers(directory: string, program: KeptProgram): void {
  for (const name of readdirSync(directory)) {
    const isOfIt = name.endsWith(CODE_SUFFIX) && name.startsWith(`${program.name}-`);
    if (isOfIt && !name.startsWith(`${program.name}-${program.digest}-`)) unlinkSync(pathIn(directory, name));
  }
}
