/** What others need to know of sessions that have hooks: whose flag to raise, and who sees its mail at its next tool call. */
import type { AgentId } from "../../domain/ids.ts";
import type { Session } from "../../domain/session/session.ts";
import { elapsedMs } from "../../domain/time.ts";
import { Fault } from "../../ports/fault.ts";
import type { Deps } from "../deps.ts";

/** After the commit that put mail into their mailboxes. A flag that cannot be raised costs only time. */
export async function raiseFlags(deps: Deps, project: string, recipients: readonly AgentId[]): Promise<void> {
  if (!deps.flags || recipients.length === 0) return;
  try {
    const sessions = await hookedAmong(deps, project, recipients);
    deps.flags.raise(sessions.flatMap(({ sessionId }) => sessionId ?? []));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
  }
}

/**
 * Those that are proven to be at work with hooks that show them their mail. A turn that its user has interrupted ends
 * without a hook, so what the harness itself says about it counts more than what hooks have told.
 */
export async function hookedAndBusy(
  deps: Deps,
  project: string,
  agents: readonly AgentId[],
): Promise<ReadonlySet<AgentId>> {
  return busyAmong(deps, await hookedAmong(deps, project, agents));
}

/** The same of sessions that have been read already. */
export function busyAmong(deps: Deps, sessions: Iterable<Session>): ReadonlySet<AgentId> {
  const busy = [...sessions].filter((session) => isHookedHere(deps, session) && isBusy(deps, session));
  return new Set(busy.map(({ agentId }) => agentId));
}

async function hookedAmong(deps: Deps, project: string, agents: readonly AgentId[]): Promise<readonly Session[]> {
  const sessions = await deps.store.readSessions(project);
  return sessions.filter((session) => isHookedHere(deps, session) && agents.includes(session.agentId));
}

function isHookedHere({ host }: Deps, { hooked, process }: Session): boolean {
  return hooked && (process === null || process.host === host);
}

function isBusy(deps: Deps, session: Session): boolean {
  const { process, sessionId, activity } = session;
  const isThere = process ? deps.probe.verdict(process) === "alive" : showedItselfLately(deps, sessionId);
  const { state } = (isThere ? deps.sights?.activity(session) : null) ?? activity;
  return isThere && state === "busy";
}

/** Where one process serves many sessions, only what a session does itself shows that it lives. */
export function showedItselfLately({ activity, clock, policy }: Deps, sessionId: string | null): boolean {
  const sign = sessionId === null ? null : activity.lastSign(sessionId);
  return sign !== null && elapsedMs(sign, clock.now().instant) < policy.ownerIdleMs;
}
