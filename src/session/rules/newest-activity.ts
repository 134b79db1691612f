/**
 * What a session does now: the newest of all that tells of it.
 *
 *   row      what a program of its hooks wrote
 *   note     what the shell of its hooks noted, without a program
 *   record   what its harness says of itself at this moment, and since when; not every harness has one
 *   tool     when a hook of a tool ran last: of the session, or of a subagent that works on in the background
 *
 *   prompt hook: busy ──▶ record: busy ──▶ tool … tool ──▶ stop hook: idle ──▶ record: idle
 *
 * Of row and note the later one is what hooks told. The record overrides it, because no hook tells of some interruptions.
 * But the record lags behind hooks, so what they told counts if it is later than the time in the record:
 *
 *   hooks told busy   for as long as a record lags. After that the prompt has begun no turn.
 *   hooks told idle   until a tool shows that the turn goes on after all: another hook has asked for that. If the tool is
 *                     a subagent's, the session counts as busy until its record has caught up.
 *
 * If a time is missing, or is still to come, the two cannot be compared, and the record counts.
 */
import { wallMsOf } from "../../core/time.ts";
import type { Activity, SeenActivity, Session } from "./session.ts";

/** What the shell of a hook told by itself. */
export interface ToldActivity {
  readonly state: "busy" | "idle";
  /** Wall time. */
  readonly since: string;
  /** The harness's name for the turn; null if it has none, or if the shell did not learn it. */
  readonly turn: string | null;
}

/** A look at a harness that tells of itself. Times are read only where they decide. */
export interface HarnessLook {
  readonly record: SeenActivity;
  /** Wall time, as all the others. */
  readonly nowMs: () => number;
  readonly toolMs: () => number | null;
}

export interface NewestActivity extends SeenActivity {
  /** The harness tells of itself, so no interruption is missed. */
  readonly isCertain: boolean;
}

/** Claude Code's record turns busy within about a tenth of a second after the hooks of a prompt begin, however long they work. */
const RECORD_LAG_MS = 2000;
/** The clock of the look may be this much behind the one that dated the news. */
const AHEAD_MS = 1000;
/** Tools are dated in steps of 10 ms, and files as coarsely. */
const STEPS_MS = 20;

/** `told`: what hooks told last, by row or note. `look`: null if the harness tells nothing. */
export function newestActivity(told: Activity, look: HarnessLook | null): NewestActivity {
  if (look === null) return { ...told, isCertain: false };
  return { ...(isBehind(look, told) ? told : look.record), isCertain: true };
}

function isBehind(look: HarnessLook, told: Activity): boolean {
  const { record } = look;
  if (record.state === told.state || record.since === null || told.since === null) return false;
  const toldMs = wallMsOf(told.since);
  if (wallMsOf(record.since) >= toldMs) return false;
  const nowMs = look.nowMs();
  if (toldMs > nowMs + AHEAD_MS) return false;
  if (told.state === "busy") return nowMs - toldMs <= RECORD_LAG_MS;
  return told.state === "idle" && (look.toolMs() ?? 0) <= toldMs + STEPS_MS;
}

/** The row as hooks told it last. A session whose hooks are over tells nothing. */
export function withTold(row: Session, note: ToldActivity | null): Session {
  if (!note || !row.hooked) return row;
  const { state, since, turn } = note;
  if (row.activity.since !== null && wallMsOf(since) <= wallMsOf(row.activity.since)) return row;
  return { ...row, activity: { state, since }, turn: turn ?? row.turn };
}
