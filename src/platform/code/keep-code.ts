/** Writes what code-cache.ts reads. A bundle of its own: most commands find their code kept already. */
import { lstatSync, mkdirSync, readdirSync, unlinkSync } from "node:fs";
import { pathIn } from "../files/path-in.ts";
import { replaceFile } from "../files/replace-file.ts";
import { FOR_OTHERS, type KeptProgram, keptName } from "./code-cache.ts";

/** False when it could not be kept. */
export function keepCode(directory: string, program: KeptProgram, command: string, code: Uint8Array): boolean {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const { uid, mode } = lstatSync(directory);
    if (uid !== process.getuid?.() || (mode & FOR_OTHERS) !== 0) return false;
    replaceFile(pathIn(directory, keptName(program, command)), code, 0o600, { durable: true });
    removeOthers(directory, program);
    return true;
  } catch {
    // Not ours, or not writable: the program is compiled again, which is all it costs.
    return false;
  }
}

/** Those of other versions of the program, for any command. */
function removeOthers(directory: string, { name, digest }: KeptProgram): void {
  for (const file of readdirSync(directory)) {
    if (file.startsWith(`${name}.`) && !file.includes(`-${digest}-`)) unlinkSync(pathIn(directory, file));
  }
}
