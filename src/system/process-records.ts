/** Files about one process each, which their names tell: cards and claims. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { parseFileName } from "../domain/file-name.ts";
import { type ProcessRef, parseProcessKey } from "../domain/process.ts";

export interface ProcessRecord {
  readonly path: string;
  readonly process: ProcessRef;
}

export function recordsIn(dataDir: string, kinds: readonly string[]): readonly ProcessRecord[] {
  const directory = join(dataDir, "agents");
  return namesIn(directory).flatMap((name) => {
    const text = kinds.map((kind) => parseFileName(kind, name)).find((found) => found !== null);
    const process = text === undefined ? null : parseProcessKey(text);
    return process ? [{ path: join(directory, name), process }] : [];
  });
}

/** The paths of the records of one kind, whatever they are about. */
export function pathsIn(dataDir: string, kind: string): readonly string[] {
  const directory = join(dataDir, "agents");
  return namesIn(directory)
    .filter((name) => name.startsWith(`${kind}.`))
    .map((name) => join(directory, name));
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    // Nothing was ever written down here, or it cannot be read now.
    return [];
  }
}
