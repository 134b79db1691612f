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
    removeOldest(directory, program);
    return true;
  } catch {
    // Not ours, or not writable: the program is compiled again, which is all it costs.
    return false;
  }
}

/** How the name of compiled code ends. */
const END = ".code";
/** A few builds, releases of Node and sets of flags are in use at a time, such as an installed `tt` and one at work. */
const VARIANTS = 4;

/** Removes the variants of this program that were kept longest ago, each with its files for all commands. */
function removeOldest(directory: string, { name }: KeptProgram): void {
  const variants = new Map<string, { readonly files: string[]; newestMs: number }>();
  for (const file of readdirSync(directory).filter((other) => other.startsWith(`${name}-`) && other.includes(END))) {
    // What a killed process left of a file belongs to its variant.
    const [variant = ""] = file.slice(file.indexOf(".") + 1).split(END);
    const found = variants.get(variant) ?? { files: [], newestMs: 0 };
    found.files.push(file);
    found.newestMs = Math.max(
      found.newestMs,
      lstatSync(pathIn(directory, file), { throwIfNoEntry: false })?.mtimeMs ?? 0,
    );
    variants.set(variant, found);
  }
  const newestFirst = [...variants.values()].toSorted((one, other) => other.newestMs - one.newestMs);
  for (const { files } of newestFirst.slice(VARIANTS)) for (const file of files) remove(pathIn(directory, file));
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Another process has removed it.
  }
}
