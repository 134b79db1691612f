/**
 * Cards and claims are about one process each and mean nothing when it is gone. They are removed then, a few at a
 * time, by commands that change something anyway. Only proof removes one; see process-probe.ts.
 */
import type { ProcessProbe } from "../ports/process-probe.ts";
import { removePrivateFile } from "./private-file.ts";
import { recordsIn } from "./process-records.ts";
import { jitter } from "./randomness.ts";

/** However many there are, a command looks at no more than these; where it begins differs, so all get their turn. */
const MOST_LOOKS = 8;

export function removeRecordsOfEnded(dataDir: string, probe: ProcessProbe): void {
  const records = recordsIn(dataDir, ["card", "claim"]);
  const from = Math.floor(jitter() * records.length);
  const chosen = [...records.slice(from), ...records.slice(0, from)].slice(0, MOST_LOOKS);
  for (const { path, process } of chosen) {
    if (probe.verdict(process) === "gone") removeQuietly(path);
  }
}

function removeQuietly(path: string): void {
  try {
    removePrivateFile(path);
  } catch {
    // It can stay; it only takes up space.
  }
}
