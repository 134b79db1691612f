/** Flags as empty files, `flags/<session id>`: the shell of a hook sees them without starting a program. */
import { closeSync, constants, openSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { isSessionId } from "../domain/session/harness.ts";
import type { MailFlags } from "../ports/mail-flags.ts";

export function createMailFlags(dataDir: string): MailFlags {
  const pathOf = (sessionId: string) => join(dataDir, "flags", sessionId);
  return {
    raise(sessionIds) {
      for (const sessionId of sessionIds.filter(isSessionId)) quietly(() => touch(pathOf(sessionId)));
    },
    lower(sessionId) {
      if (isSessionId(sessionId)) quietly(() => unlinkSync(pathOf(sessionId)));
    },
  };
}

/** A planted link is not followed: that the name is there is all that a flag says. */
function touch(path: string): void {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  closeSync(openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600));
}

function quietly(work: () => void): void {
  try {
    work();
  } catch {
    // It is raised or lowered already, or cannot be; its session then looks by itself at its next prompt.
  }
}
