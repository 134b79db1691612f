/**
 * A session ends. After `clear` and `resume` another one of the same process follows and may take over what this one
 * had; otherwise, or where one process serves many sessions, it leaves, and a stick that it held is free.
 */
import { isFollowed } from "../../domain/hooks/succession.ts";
import { noteSession } from "../sessions/note-session.ts";
import { type HookUseCase, placeOf, SILENCE } from "./hook-deps.ts";
import { leaveAll, OVER } from "./succeed.ts";

export const sessionEnd: HookUseCase = async (deps, caller, call) => {
  const { sessionId, transcriptPath } = call;
  const { process, harness } = caller;
  if (isFollowed(call.reason) && process) {
    const ending = deps.clock.now().instant;
    deps.cards.write(process, { harness, sessionId, transcriptPath, ending });
    return SILENCE;
  }
  await leaveAll(deps, caller);
  const place = await placeOf(deps, call);
  if (place) await noteSession(deps, caller, place.project, OVER);
  deps.flags.lower(sessionId);
  return SILENCE;
};
