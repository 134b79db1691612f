/** Deletes agents that are in no room any more: their sessions, mailboxes, handles, former names and files. */

import { wallTime } from "../core/time.ts";
import type { Deps } from "../engine/deps.ts";
import { alivenessOf } from "../engine/evidence.ts";
import type { Session } from "../session/rules/session.ts";
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
 * A session whose process lives is not over. If its process cannot be seen, its age decides: a session that was never
 * at work has none, and stays.
 */
function isOver(deps: Deps, session: Session, since: string): boolean {
  const { process } = alivenessOf(deps, session, deps.policy);
  return process === "unknown" ? (session.activity.since ?? since) < since : process === "gone";
}
