/**
 * Cards and claims are about one process each and mean nothing when it is gone, retired sessions nothing after a reboot.
 * They are removed then, a few at a time, by commands that change something anyway. Only proof removes one; see
 * process-probe.ts.
 */
import type { ProcessProbe } from "../../engine/ports/process-probe.ts";
import { RETIRED_KIND, readRetirement } from "../agents/retired-sessions.ts";
import { jitter } from "../clock/randomness.ts";
import { removeQuietly } from "../files/replace-file.ts";
import { pathsIn, recordsIn } from "./process-records.ts";

/** However many there are, a command looks at no more than these; where it begins differs, so all get their turn. */
const MOST_LOOKS = 8;

export function removeRecordsOfEnded(dataDir: string, probe: ProcessProbe): void {
  for (const { path, process } of someOf(recordsIn(dataDir, ["card", "claim"]))) {
    if (probe.verdict(process) === "gone") removeQuietly(path);
  }
  const { bootId } = probe.self();
  for (const path of someOf(pathsIn(dataDir, RETIRED_KIND))) {
    const retirement = readRetirement(path);
    if (retirement && retirement.at.epoch !== bootId) removeQuietly(path);
  }
}

function someOf<Item>(items: readonly Item[]): readonly Item[] {
  const from = Math.floor(jitter() * items.length);
  return [...items.slice(from), ...items.slice(0, from)].slice(0, MOST_LOOKS);
}
