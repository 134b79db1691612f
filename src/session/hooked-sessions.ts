/** Sessions with hooks: whose flag a sender raises, and which of them see their mail at the next tool call. */

import { Fault } from "../core/fault.ts";
import type { AgentId } from "../core/ids.ts";
import type { Deps } from "../engine/deps.ts";
import { alivenessOf } from "../engine/evidence.ts";
import { policyAmong } from "../engine/room-policies.ts";
import type { Room } from "../room/rules/room.ts";
import { activityNow } from "./activity-now.ts";
import type { Session } from "./rules/session.ts";

/** Those of a project's sessions that run on this machine and whose hooks show them their mail. */
export function hookedHere({ host }: Deps, sessions: Iterable<Session>): readonly Session[] {
  return [...sessions].filter(({ hooked, process }) => hooked && (process === null || process.host === host));
}

/** Called after the commit that sent them mail or passed them a stick. Returns those whose tool hooks will look. */
export function raiseFlags(
  { flags, quiet }: Deps,
  hooked: readonly Session[],
  recipients: readonly AgentId[],
): ReadonlySet<AgentId> {
  const theirs = hooked.filter(({ agentId }) => recipients.includes(agentId));
  const raised = theirs.length > 0 ? flags?.raise(theirs.flatMap(({ sessionId }) => sessionId ?? [])) : undefined;
  const isFlagged = ({ sessionId }: Session) => sessionId !== null && raised?.has(sessionId);
  const flagged = new Set(theirs.filter(isFlagged).map(({ agentId }) => agentId));
  // Without a flag, the next prompt or end of a turn must look by itself. The row of another project may have the hooks.
  for (const agentId of recipients) if (!flagged.has(agentId)) quiet?.close(agentId);
  return flagged;
}

/** The same where no caller has read the sessions before, and recipients may have former names. A flag that cannot be raised costs only time. */
export async function raiseFlagsIn(deps: Deps, project: string, recipients: readonly AgentId[]): Promise<void> {
  if (!deps.flags) return;
  let present = recipients;
  try {
    const aliases = await deps.store.readAliases(recipients);
    present = recipients.map((name) => aliases.get(name) ?? name);
    raiseFlags(deps, hookedHere(deps, await deps.store.readSessions(project)), present);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    for (const agentId of present) deps.quiet?.close(agentId);
  }
}

/** Those that are proven to be at work. */
export function busyAmong(
  deps: Deps,
  hooked: readonly Session[],
  to: AgentId | "room",
  rooms: readonly Room[],
): ReadonlySet<AgentId> {
  const asked = hooked.filter(({ agentId }) => to === "room" || agentId === to);
  const isBusy = (session: Session) => {
    const activity = activityNow(deps, session);
    return alivenessOf(deps, { ...session, activity }, policyAmong(deps, rooms, session.agentId)).isBusy;
  };
  return new Set(asked.filter(isBusy).map(({ agentId }) => agentId));
}
