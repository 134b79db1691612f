/** What Claude Code says about itself in the file it keeps for its process. */
import { type Activity, type ActivityState } from "../../domain/session/session.ts";

/** Waiting for a permission is the middle of a turn; a shell in the background is not one. */
const STATES: Readonly<Record<string, ActivityState>> = { busy: "busy", waiting: "busy", idle: "idle", shell: "idle" };

export function activityInSessionFile(text: string, pid: number): Activity | null {
  try {
    const file = JSON.parse(text) as { pid?: unknown; status?: unknown } | null;
    const state = file?.pid === pid ? STATES[String(file.status)] : undefined;
    return state === undefined ? null : { state, since: null };
  } catch {
    // The file may be half written; the next look reads it whole.
    return null;
  }
}
