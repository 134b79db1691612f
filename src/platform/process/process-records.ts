/** Files about one process each, which their names tell: cards and claims. */

import { parseFileName } from "../../core/file-name.ts";
import { type ProcessRef, parseProcessKey } from "../../core/process.ts";
import { listNames } from "../files/list-names.ts";
import { pathIn } from "../files/path-in.ts";

export interface ProcessRecord {
  readonly path: string;
  readonly process: ProcessRef;
}

export function recordsIn(dataDir: string, kinds: readonly string[]): readonly ProcessRecord[] {
  const directory = pathIn(dataDir, "agents");
  return listNames(directory).flatMap((name) => {
    // Most files are of other kinds.
    const kind = kinds.find((one) => name.startsWith(`${one}.`));
    const text = kind === undefined ? null : parseFileName(kind, name);
    const process = text === null ? null : parseProcessKey(text);
    return process ? [{ path: pathIn(directory, name), process }] : [];
  });
}

/** The paths of all records of one kind. */
export function pathsIn(dataDir: string, kind: string): readonly string[] {
  const directory = pathIn(dataDir, "agents");
  return listNames(directory)
    .filter((name) => name.startsWith(`${kind}.`))
    .map((name) => pathIn(directory, name));
}
