/**
 * A session whose harness has silently changed its id. Commands and servers are identified by the card of their
 * process. So hooks of that process act for the session on the card, too: one process is one member. If the process has
 * changed to another session, the first prompt of that session counts as its start, and it takes over as after a
 * resume.
 */

import { sessionAgentId } from "../core/agent-id.ts";
import type { AgentId } from "../core/ids.ts";
import { type ProcessRef, processKey } from "../core/process.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { type HookDeps, placeOf } from "./hook-deps.ts";
import type { HookCall, HookEvent } from "./rules/hook.ts";
import { type Rotation, rotationOf } from "./rules/succession.ts";

export interface ActingHook {
  readonly caller: Caller;
  readonly call: HookCall;
}

const SHOW_LIFE: readonly HookEvent[] = ["session-start", "prompt", "pre-tool", "post-tool"];

/** The hook call, changed to the session that it belongs to. */
export function ofKnownSession(deps: HookDeps, caller: Caller, call: HookCall): ActingHook {
  if (!call.mayRotate) return { caller, call };
  const known = underFirstId(deps, caller, call);
  // The shell script leaves a sign only for an id that it has seen before. For every other id this program runs and
  // leaves the sign.
  if (SHOW_LIFE.includes(call.event)) deps.leaveSign(known.call.sessionId);
  return known;
}

function underFirstId(deps: HookDeps, caller: Caller, call: HookCall): ActingHook {
  const card = caller.process && deps.cards.read(caller.process);
  const rotation = rotationIn(deps, caller, call);
  const isStart = call.event === "session-start" || (call.event === "prompt" && rotation === "moved");
  if (!card || rotation === "none" || isStart) return { caller, call };
  const { harness, sessionId } = card;
  const agentId = sessionAgentId(harness, sessionId, deps.digest);
  return { caller: { ...caller, agentId, sessionId }, call: { ...call, sessionId } };
}

/** Whether a prompt shows that its process has changed to another session. */
export function hasMovedOn(deps: HookDeps, caller: Caller, call: HookCall): boolean {
  return call.mayRotate === true && rotationIn(deps, caller, call) === "moved";
}

function rotationIn({ cards }: HookDeps, { process, harness }: Caller, call: HookCall): Rotation {
  const { sessionId, transcriptPath } = call;
  return process ? rotationOf(cards.read(process), { harness, sessionId, transcriptPath }) : "none";
}

/**
 * The name under which a session acts. A superseded session uses its successor's name, but only in the process where
 * that happened. If it starts again, it is a session of its own: its successor may live elsewhere, and two live
 * sessions are never one agent. Its commands and servers then use its own name again, because that name no longer leads
 * to the successor.
 */
export async function underPresentName(deps: HookDeps, caller: Caller, call: HookCall): Promise<Caller> {
  const agentId = await deps.store.resolveAlias(caller.agentId);
  if (agentId === caller.agentId) return caller;
  if (call.event !== "session-start" && (await isOf(deps, agentId, caller.process, call)))
    return { ...caller, agentId };
  await deps.store.reclaimName(caller.agentId);
  return caller;
}

/** Whether an agent belongs to a process. If the process cannot be seen, it may, so the answer is true. */
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
