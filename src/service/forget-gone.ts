/** Forgetting agents that are in no room any more: their sessions, mailboxes, handles, former names and files. */
import type { Session } from "../domain/session/session.ts";
import { wallTime } from "../domain/time.ts";
import type { Deps } from "./deps.ts";
import type { PruneTally } from "./prune-tally.ts";

export async function forgetGone(deps: Deps, idleForMs: number, tally: PruneTally): Promise<void> {
  const { store } = deps;
  const sinceMs = deps.clock.now().wallMs - idleForMs;
  const since = wallTime(sinceMs);
  const gone = (await store.readGoneSessions(since)).filter((session) => isOver(deps, session, since));
  tally.add(await tally.locking(() => store.forgetGone(since, gone)));
  if (deps.traces) tally.add({ files: deps.traces.removeOld(await store.readNames(), sinceMs) });
}

/**
 * A session whose process lives is not over. Of one on another machine nothing can be seen but when it was last at work;
 * here, a session that has no process to look at comes back with its next call.
 */
function isOver({ probe, host }: Deps, { process, activity }: Session, since: string): boolean {
  const verdict = process === null ? "unknown" : probe.verdict(process);
  if (verdict !== "unknown") return verdict === "gone";
  if (activity.since !== null) return activity.since < since;
  return process === null || process.host === host;
}
