/**
 * A session ends. After `clear` and `resume` another one of the same process follows and may take over what this one
 * had; otherwise, or where one process serves many sessions, it leaves, a stick that it held is free, and what it left
 * running no longer acts for it. A session that lives in another process as well goes on there.
 */

import type { ProcessRef } from "../core/process.ts";
import { noteSession } from "../session/note-session.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { type HookDeps, type HookUseCase, placeOf, SILENCE } from "./hook-deps.ts";
import { settleWhatWasShown } from "./pending-for-session.ts";
import type { HookCall } from "./rules/hook.ts";
import { isFollowed } from "./rules/succession.ts";
import { leaveAll, OVER, otherProcessOf, showUpIn } from "./succeed.ts";

export const sessionEnd: HookUseCase = async (deps, caller, call) => {
  const { sessionId, transcriptPath } = call;
  const { process, harness } = caller;
  await settleWhatWasShown(deps, caller, call);
  if (process) deps.cards.write(process, { harness, sessionId, transcriptPath, ending: deps.clock.now().instant });
  const other = process && otherProcessOf(deps, { harness, sessionId }, process);
  if (other) {
    await goOnIn(deps, caller, call, other);
    return SILENCE;
  }
  if (isFollowed(call.reason) && process) return SILENCE;
  // Before it leaves: otherwise a process that it left running would join again.
  if (!isFollowed(call.reason)) deps.retired.retire({ harness, sessionId }, { at: deps.clock.now().instant, process });
  await leaveAll(deps, caller);
  const place = await placeOf(deps, call);
  if (place) await noteSession(deps, caller, place.project, OVER);
  deps.flags.lower(sessionId);
  return SILENCE;
};

/** From now on the remaining process decides whether the session lives. */
async function goOnIn(deps: HookDeps, caller: Caller, call: HookCall, process: ProcessRef): Promise<void> {
  const there = { ...caller, process, tmuxPane: null };
  const { rooms } = await deps.store.readRooms({ agentId: caller.agentId });
  for (const { id: roomId } of rooms) await showUpIn(deps, there, roomId);
  const place = await placeOf(deps, call);
  if (place) await noteSession(deps, there, place.project);
}
