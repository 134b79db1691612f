/**
 * Under which name a session acts. One that was superseded goes by its successor's name, but only in the process in
 * which that happened. Where it starts again, it is a session of its own: its successor may be living elsewhere, and two
 * living sessions are never one agent. Commands and servers of the session follow, because its name leads to itself then.
 */

import type { AgentId } from "../core/ids.ts";
import { type ProcessRef, processKey } from "../core/process.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { type HookDeps, placeOf } from "./hook-deps.ts";
import type { HookCall } from "./rules/hook.ts";

export async function underPresentName(deps: HookDeps, caller: Caller, call: HookCall): Promise<Caller> {
  const agentId = await deps.store.resolveAlias(caller.agentId);
  if (agentId === caller.agentId) return caller;
  if (call.event !== "session-start" && (await isOf(deps, agentId, caller.process, call)))
    return { ...caller, agentId };
  await deps.store.reclaimName(caller.agentId);
  return caller;
}

/** Whether an agent is that of a process. A process that cannot be seen might be. */
async function isOf(deps: HookDeps, agentId: AgentId, process: ProcessRef | null, call: HookCall): Promise<boolean> {
  if (!process) return true;
  const { rooms } = await deps.store.readRooms({ agentId });
  const place = await placeOf(deps, call);
  const sessions = place ? await deps.store.readSessions(place.project) : [];
  const known = [
    ...rooms.map(({ presence }) => presence.get(agentId)?.process),
    ...sessions.filter((session) => session.agentId === agentId).map((session) => session.process),
  ];
  return known.some((other) => other && processKey(other) === processKey(process));
}
