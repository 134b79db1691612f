/** Sessions with hooks: whose flag a sender raises, and which of them see their mail at the next tool call. */

import { Fault } from "../core/fault.ts";
import type { AgentId } from "../core/ids.ts";
import type { Policy } from "../core/policy.ts";
import { elapsedMs } from "../core/time.ts";
import type { Deps } from "../engine/deps.ts";
import { policyAmong } from "../engine/room-policies.ts";
import type { Room } from "../room/rules/room.ts";
import type { Session } from "./rules/session.ts";

/** The sessions of a project on this machine whose hooks show them their mail. */
export async function hookedSessions(deps: Deps, project: string): Promise<readonly Session[]> {
  return hookedHere(deps, await deps.store.readSessions(project));
}

/** The same of sessions that have been read already. */
export function hookedHere({ host }: Deps, sessions: Iterable<Session>): readonly Session[] {
  return [...sessions].filter(({ hooked, process }) => hooked && (process === null || process.host === host));
}

/** Called after the commit that sent them mail or passed them a stick. Returns those whose tool hooks will look. */
export function raiseFlags(
  { flags }: Deps,
  hooked: readonly Session[],
  recipients: readonly AgentId[],
): ReadonlySet<AgentId> {
  const theirs = hooked.filter(({ agentId }) => recipients.includes(agentId));
  const raised = theirs.length > 0 ? flags?.raise(theirs.flatMap(({ sessionId }) => sessionId ?? [])) : undefined;
  const flagged = theirs.filter(({ sessionId }) => sessionId !== null && raised?.has(sessionId));
  return new Set(flagged.map(({ agentId }) => agentId));
}

/** The same where nobody has read the sessions before. A flag that cannot be raised costs only time. */
export async function raiseFlagsIn(deps: Deps, project: string, recipients: readonly AgentId[]): Promise<void> {
  if (!deps.flags) return;
  try {
    raiseFlags(deps, await hookedSessions(deps, project), recipients);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
  }
}

/**
 * Those that are proven to be at work. A turn that its user has interrupted ends without a hook, so the harness's own
 * state overrides what hooks reported.
 */
export function busyAmong(
  deps: Deps,
  hooked: readonly Session[],
  to: AgentId | "room",
  rooms: readonly Room[],
): ReadonlySet<AgentId> {
  const asked = hooked.filter(({ agentId }) => to === "room" || agentId === to);
  const isBusyNow = (session: Session) => isBusy(deps, session, policyAmong(deps, rooms, session.agentId));
  return new Set(asked.filter(isBusyNow).map(({ agentId }) => agentId));
}

function isBusy(deps: Deps, session: Session, policy: Policy): boolean {
  const { process, sessionId, activity } = session;
  const isThere = process
    ? deps.probe.verdict(process) === "alive" && !deps.probe.isSuspended(process)
    : wasActiveLately(deps, sessionId, policy);
  const { state } = (isThere ? deps.sights?.activity(session) : null) ?? activity;
  return isThere && state === "busy";
}

/** Where one process serves many sessions, only what a session does itself shows that it lives. */
export function wasActiveLately({ activity, clock }: Deps, sessionId: string | null, { ownerIdleMs }: Policy): boolean {
  const sign = sessionId === null ? null : activity.lastSign(sessionId);
  return sign !== null && elapsedMs(sign, clock.now().instant) < ownerIdleMs;
}
