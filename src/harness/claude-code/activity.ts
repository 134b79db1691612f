/** What Claude Code says about itself in the file it keeps for its process. */

import { wallTime } from "../../core/time.ts";
import type { Activity, ActivityState } from "../../session/rules/session.ts";

/** Waiting for a permission is the middle of a turn; a shell in the background is not one. */
const STATES: Readonly<Record<string, ActivityState>> = { busy: "busy", waiting: "busy", idle: "idle", shell: "idle" };

/** Null when the file is about another process or session, or says nothing that is known. */
export function activityInSessionFile(text: string, pid: number, sessionId: string | null): Activity | null {
  const file = parsed(text);
  const isOther = file.pid !== pid || (sessionId !== null && file.sessionId !== sessionId);
  const state = isOther ? undefined : STATES[String(file.status)];
  if (state === undefined) return null;
  const since = file.statusUpdatedAt;
  return { state, since: Number.isSafeInteger(since) ? wallTime(since as number) : null };
}

function parsed(text: string): Readonly<Record<"pid" | "sessionId" | "status" | "statusUpdatedAt", unknown>> {
  const nothing = { pid: null, sessionId: null, status: null, statusUpdatedAt: null };
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...nothing, ...value } : nothing;
  } catch {
    // The file may be half written; the next look reads it whole.
    return nothing;
  }
}
