/** The turn ended without an answer: what was shown in it comes again with the next prompt, and the session is idle. */
import { noteSession } from "../session/note-session.ts";
import { type HookUseCase, placeOf, SILENCE } from "./hook-deps.ts";
import { settleWhatWasShown } from "./pending-for-session.ts";

export const turnBroken: HookUseCase = async (deps, caller, call) => {
  await settleWhatWasShown(deps, caller, call);
  const place = await placeOf(deps, call);
  if (place) await noteSession(deps, caller, place.project, { activity: "idle", hooked: true });
  return SILENCE;
};
