/**
 * Cards and claims are about one process each and mean nothing when it is gone. They are removed then, a few at a
 * time, by commands that change something anyway. Only proof removes one; see process-probe.ts.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { parseFileName } from "../domain/file-name.ts";
import { parseProcessKey } from "../domain/process.ts";
import type { ProcessProbe } from "../ports/process-probe.ts";
import { removePrivateFile } from "./private-file.ts";
import { jitter } from "./randomness.ts";

/** However many there are, a command looks at no more than these; where it begins differs, so all get their turn. */
const MOST_LOOKS = 8;

export function removeRecordsOfEnded(dataDir: string, probe: ProcessProbe): void {
  const directory = join(dataDir, "agents");
  const records = namesIn(directory).flatMap((name) => {
    const text = parseFileName("card", name) ?? parseFileName("claim", name);
    const process = text === null ? null : parseProcessKey(text);
    return process ? [{ name, process }] : [];
  });
  const from = Math.floor(jitter() * records.length);
  const chosen = [...records.slice(from), ...records.slice(0, from)].slice(0, MOST_LOOKS);
  for (const { name, process } of chosen) {
    if (probe.verdict(process) === "gone") removeQuietly(join(directory, name));
  }
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    // Nothing was ever written down here, or it cannot be read now.
    return [];
  }
}

function removeQuietly(path: string): void {
  try {
    removePrivateFile(path);
  } catch {
    // It can stay; it only takes up space.
  }
}
