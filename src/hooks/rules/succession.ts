/**
 * What happens to the session that a process had before this one. `/clear` and resume change the session id inside one
 * process: a hook reports the end of the old session, and the new one, if it begins soon, continues it. If that report
 * was lost, or the harness sends none, the start of the new session proves the end, because such a process has one
 * session at a time. Only the card of the same process proves it: two sessions are never joined by a guess.
 */
import type { ProcessRef } from "../../core/process.ts";
import { elapsedMs, type Instant } from "../../core/time.ts";
import type { SessionCard } from "../../session/rules/evidence.ts";

/** `adopts`: the same agent under a new name. `ends`: the old session is over. `none`: no other session is known. */
export type Succession = "adopts" | "ends" | "none";

export interface Successor {
  readonly harness: string;
  readonly sessionId: string;
  /** Why it starts. */
  readonly source: string | null;
  readonly now: Instant;
  readonly graceMs: number;
}

export function successionOf(card: SessionCard | null, successor: Successor): Succession {
  const { harness, sessionId, source, now, graceMs } = successor;
  if (!card || card.harness !== harness || card.sessionId === sessionId) return "none";
  if (!card.ending) return isFollowed(source) ? "adopts" : "ends";
  const sinceMs = elapsedMs(card.ending, now);
  return sinceMs >= 0 && sinceMs <= graceMs ? "adopts" : "ends";
}

/**
 * What another session id in a hook of the same process means, if the harness may change the id silently. `same`: the
 * session goes on. `moved`: the process has changed to another session, with a transcript of its own.
 */
export type Rotation = "same" | "moved" | "none";

export function rotationOf(
  card: SessionCard | null,
  hook: Pick<SessionCard, "harness" | "sessionId" | "transcriptPath">,
): Rotation {
  const { harness, sessionId, transcriptPath } = hook;
  if (!card || card.ending || card.harness !== harness || card.sessionId === sessionId) return "none";
  // An unknown transcript proves nothing.
  return card.transcriptPath && transcriptPath && card.transcriptPath !== transcriptPath ? "moved" : "same";
}

/** Also considers that a session may have other live processes. These go on in any case. */
export function withOthers(
  due: Succession,
  living: { readonly former: ProcessRef | null; readonly own: ProcessRef | null },
): Succession {
  if (living.former) return "none";
  return due === "adopts" && living.own ? "ends" : due;
}

/** The reasons for which one session of a process ends and another one begins. */
export function isFollowed(reason: string | null): boolean {
  return reason === "clear" || reason === "resume";
}
