/** An MCP server registers itself in the row of its session, and removes itself when it ends normally. */

import { type ProcessRef, processKey } from "../core/process.ts";
import type { Deps } from "../engine/deps.ts";
import { adoptProvisional } from "./adopt-provisional.ts";
import { hookedHere } from "./hooked-sessions.ts";
import { noteSession } from "./note-session.ts";
import type { Caller } from "./rules/decision-input.ts";
import type { Session } from "./rules/session.ts";
import { flagSessions, liveOthers } from "./sessions-without-room.ts";

/** From now on the session can be listed and written to, also if it never joins a room. */
export async function noteServer(deps: Deps, caller: Caller, project: string): Promise<void> {
  const self = deps.probe.self();
  await adoptProvisional(deps, caller, project);
  const known = (await deps.store.readSessions(project)).flatMap(({ servers }) => servers);
  const ended = known.filter((server) => deps.probe.verdict(server) === "gone");
  const isNews = await noteSession(deps, caller, project, { servers: { started: [self], ended } });
  // A session that was alone may look for a flag alone.
  if (isNews) flagSessions(deps, hookedHere(deps, await liveOthers(deps, caller, project, deps.policy)));
  if (caller.process) await leaveOthers(deps, caller, caller.process, project);
}

/** One process is one session: removes this server from the row of the session that the process had before. */
async function leaveOthers(deps: Deps, caller: Caller, process: ProcessRef, project: string): Promise<void> {
  const present = await deps.store.resolveAlias(caller.agentId);
  const isOther = (row: Session) =>
    row.agentId !== present && row.process !== null && processKey(row.process) === processKey(process);
  await takeOut(deps, project, isOther);
}

/** Removes this server from every session of the project. */
export async function noteServerEnd(deps: Deps, project: string): Promise<void> {
  await takeOut(deps, project, () => true);
}

async function takeOut(deps: Deps, project: string, isMeant: (row: Session) => boolean): Promise<void> {
  const self = processKey(deps.probe.self());
  const rows = await deps.store.readSessions(project);
  for (const { agentId, servers } of rows.filter(isMeant)) {
    if (!servers.some((server) => processKey(server) === self)) continue;
    await deps.store.changeSession({ agentId, project }, (row): Session => {
      const known = row ?? (rows.find((other) => other.agentId === agentId) as Session);
      return { ...known, servers: known.servers.filter((server) => processKey(server) !== self) };
    });
  }
}
