/**
 * Flags as files, `flags/<session id>`: the shell of a hook sees them without starting a program. The content differs
 * each time a flag is raised. To lower a flag, it is first moved aside: that shows whether it was raised meanwhile.
 */

import { constants, existsSync, renameSync, unlinkSync } from "node:fs";
import { isSessionId } from "../../core/harness.ts";
import type { MailFlags } from "../../engine/ports/mail-flags.ts";
import { readTextOrNull } from "../files/bounded-read.ts";
import { pathIn } from "../files/path-in.ts";
import { writeInPlace } from "../files/replace-file.ts";

const MAX_BYTES = 256;

export function createMailFlags(dataDir: string): MailFlags {
  const pathOf = (sessionId: string) => pathIn(dataDir, `flags/${sessionId}`);
  // A flag that cannot be written may exist already, and that is enough for the shell. One that was written may have
  // been lowered again by now.
  const raise = (sessionId: string) => quietly(() => write(pathOf(sessionId))) || existsSync(pathOf(sessionId));
  return {
    raise: (sessionIds) => new Set(sessionIds.filter((sessionId) => isSessionId(sessionId) && raise(sessionId))),
    look: (sessionId) => (isSessionId(sessionId) ? textIn(pathOf(sessionId)) : null),
    lower(sessionId, seen) {
      if (!isSessionId(sessionId)) return;
      if (seen === undefined) return void quietly(() => unlinkSync(pathOf(sessionId)));
      // No session has a name with a dot in it.
      const aside = pathOf(`.${sessionId}.${process.pid}`);
      quietly(() => {
        renameSync(pathOf(sessionId), aside);
        const found = textIn(aside);
        unlinkSync(aside);
        if (found !== seen) raise(sessionId);
      });
    },
  };
}

function textIn(path: string): string | null {
  return readTextOrNull(path, MAX_BYTES, { followLinks: false });
}

function write(path: string): void {
  writeInPlace(path, `${process.pid} ${process.hrtime.bigint()}\n`, constants.O_TRUNC);
}

function quietly(work: () => void): boolean {
  try {
    work();
    return true;
  } catch {
    // Already raised or lowered, or impossible: the session then looks at the end of its turn or at its next prompt.
    return false;
  }
}
