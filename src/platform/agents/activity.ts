/**
 * Signs of life. A hook of a harness writes the uptime and the boot's id into `activity/<session id>` with the shell
 * alone, so that the quiet path of a hook starts no program of ours. Where there is no /proc/uptime it touches the file,
 * and the file's age counts.
 */

import { isSessionId } from "../../core/harness.ts";
import type { Instant } from "../../core/time.ts";
import type { ActivityLog } from "../../engine/ports/activity.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import { parseUptimeMs, procUptimeMs } from "../clock/uptime.ts";
import { readFileOrNull } from "../files/bounded-read.ts";
import { pathIn } from "../files/path-in.ts";
import { writeInPlace } from "../files/replace-file.ts";

export interface ActivityOptions {
  readonly dataDir: string;
  readonly clock: Clock;
  readonly procRoot?: string;
}

const MAX_BYTES = 256;
/** A sign may be this much newer than our clock: it was written while we were looking. */
const AHEAD_MS = 1000;

export function createActivityLog(options: ActivityOptions): ActivityLog {
  const hooksWriteUptime = procUptimeMs(options.procRoot) !== null;

  return {
    lastSign(sessionId) {
      if (!isSessionId(sessionId)) return null;
      const file = readFileOrNull(pathIn(options.dataDir, `activity/${sessionId}`), MAX_BYTES, { followLinks: false });
      if (file === null) return null;
      const { instant, wallMs } = options.clock.now();
      const ms = hooksWriteUptime
        ? uptimeOfThisBoot(file.bytes.toString("latin1"), instant.epoch)
        : instant.ms - Math.round(wallMs - file.stats.mtimeMs);
      return ms === null ? null : believable(ms, instant);
    },
  };
}

/** As the shell of a hook does. */
export function leaveSign({ dataDir, clock }: ActivityOptions, sessionId: string): void {
  if (!isSessionId(sessionId)) return;
  const { ms, epoch } = clock.now().instant;
  try {
    // Not cut to nothing first.
    writeInPlace(pathIn(dataDir, `activity/${sessionId}`), `${(ms / 1000).toFixed(2)}\n${epoch}\n`);
  } catch {
    // The next hook tries again.
  }
}

/** The second line names the boot. Behind it may stand the rest of a longer sign of an earlier one. */
function uptimeOfThisBoot(text: string, epoch: string): number | null {
  const [uptime = "", boot = ""] = text.split("\n");
  return boot === "" || boot === epoch ? parseUptimeMs(uptime) : null;
}

/** A time that is still to come, or before the machine started, was written by an earlier boot or by accident. */
function believable(ms: number, now: Instant): Instant | null {
  if (ms < 0 || ms > now.ms + AHEAD_MS) return null;
  return { epoch: now.epoch, ms: Math.min(ms, now.ms) };
}
