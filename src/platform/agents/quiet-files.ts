/**
 * The files by which the shell of a hook answers a prompt, or the end of a turn, without the program (src/harness/quiet.sh).
 * All are in the data directory and ours alone. A planted link is not followed.
 *
 *   quiet/mark/<session>   the program looked and found nothing to do; counts until this uptime of this boot
 *   quiet/permit/<agent>   a mark counts only while the permit is there that was given before that look
 *   quiet/told/<session>   what the shell noted: busy or idle, its uptime and boot, and the turn
 *
 *   ──hook starts the program──▶ no mark ──it found nothing──▶ mark ──5 min, another permit, or none──▶ no mark
 *
 * How a holder never has a mark that counts:
 *   1. The program gives the permit.
 *   2. It writes the session's row, and so has had the lock of all writers.
 *   3. It reads rooms and mail.
 *   4. It leaves the mark.
 * A change that gives a stick removes the permit while it has that lock. If that was before step 1, the change ended before
 * step 2, and step 3 sees it. If it was later, the mark is worth nothing.
 */
import { linkSync, readdirSync, renameSync } from "node:fs";
import { fileNameFor } from "../../core/file-name.ts";
import { isSessionId } from "../../core/harness.ts";
import type { AgentId } from "../../core/ids.ts";
import { wallTime } from "../../core/time.ts";
import type { QuietMarks, ToldActivities } from "../../engine/ports/activity.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import type { ToldActivity } from "../../session/rules/newest-activity.ts";
import { parseUptimeMs } from "../clock/uptime.ts";
import { readFileOrNull } from "../files/bounded-read.ts";
import { pathIn } from "../files/path-in.ts";
import { ensurePrivateDirectory } from "../files/private-path.ts";
import { removeQuietly, replaceFile } from "../files/replace-file.ts";

export const [MARKS, PERMITS, TOLD] = ["quiet/mark", "quiet/permit", "quiet/told"] as const;

/** After that, the next prompt or end of a turn looks, also if a flag was lost. */
export const QUIET_MS = 300_000;
const MAX_BYTES = 512;
/** A note may be this much newer than our clock: it was written while we were looking. */
const AHEAD_MS = 1000;
/** What the shell compares as a word. */
const WORD = /^[A-Za-z0-9_:.-]{1,200}$/;
const NONE = "-";

export interface QuietOptions {
  readonly dataDir: string;
  readonly clock: Clock;
}

export function permitName(agentId: AgentId): string {
  return fileNameFor("agent", agentId);
}

export function createQuietMarks({ dataDir, clock }: QuietOptions): QuietMarks {
  const permitOf = (agentId: AgentId) => pathIn(dataDir, `${PERMITS}/${permitName(agentId)}`);
  return {
    open(agentId) {
      const word = `${process.pid}.${process.hrtime.bigint()}`;
      try {
        for (const name of ["quiet", MARKS, PERMITS, TOLD]) ensurePrivateDirectory(pathIn(dataDir, name));
        replaceFile(permitOf(agentId), `${word}\n`, 0o600);
      } catch {
        // The disk is full, for example. The session's next hooks start the program.
        return null;
      }
      return { agentId, word, givenAt: clock.now().instant };
    },
    close: (agentId) => void removeQuietly(permitOf(agentId)),
    leave({ sessionId, permit, cwd, calledBy, turn, servers }) {
      const { ms, epoch } = permit.givenAt;
      const until = Math.floor((ms + QUIET_MS) / 1000);
      const words = [until, epoch, calledBy, permitName(permit.agentId), permit.word, turn ?? NONE];
      // What the shell could not compare is for the program.
      if (!isSessionId(sessionId) || ![calledBy, turn ?? NONE].every((word) => WORD.test(word))) return;
      const lines = [words.join(" "), JSON.stringify(cwd), servers.join(" ")];
      try {
        replaceFile(pathIn(dataDir, `${MARKS}/${sessionId}`), `${lines.join("\n")}\n`, 0o600);
      } catch {
        // As above.
      }
    },
  };
}

export function createToldActivities({ dataDir, clock }: QuietOptions): ToldActivities {
  const pathOf = (sessionId: string) => pathIn(dataDir, `${TOLD}/${sessionId}`);
  return {
    sessions: () => new Set(namesIn(pathIn(dataDir, TOLD)).filter(isSessionId)),
    read: (sessionId) => (isSessionId(sessionId) ? toldIn(pathOf(sessionId), clock) : null),
    forget(sessionId, told) {
      // Moved aside first: so a note that is written now is not removed. No session has a name with a dot in it.
      const aside = pathOf(`.${sessionId}.${process.pid}`);
      try {
        renameSync(pathOf(sessionId), aside);
      } catch {
        // Another process has just done it, or this one may not: then the next row to be written takes the note over.
        return;
      }
      if (JSON.stringify(toldIn(aside, clock)) !== JSON.stringify(told)) putBack(aside, pathOf(sessionId));
      removeQuietly(aside);
    },
  };
}

/** Unless there is a newer note by now. */
function putBack(aside: string, path: string): void {
  try {
    linkSync(aside, path);
  } catch {
    // There is one. Where files have no second names, the row counts until the next note.
  }
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    // Mostly there is none.
    return [];
  }
}

/** Null for a note of an earlier boot, and for anything that the shell would not have written. */
function toldIn(path: string, clock: Clock): ToldActivity | "gone" | null {
  const file = readFileOrNull(path, MAX_BYTES, { followLinks: false });
  if (file === null) return "gone";
  // Behind the first line may stand the rest of a longer note of earlier.
  const [line = ""] = file.bytes.toString("latin1").split("\n");
  const [state, uptime = "", epoch, turn = "", ...more] = line.split(" ");
  const { instant } = clock.now();
  const ms = parseUptimeMs(uptime);
  if ((state !== "busy" && state !== "idle") || more.length > 0 || !WORD.test(turn)) return null;
  if (epoch !== instant.epoch || ms === null || ms > instant.ms + AHEAD_MS) return null;
  return { state, since: wallTime(file.stats.mtimeMs), turn: turn === NONE ? null : turn };
}
