/** The session gets something to do: it is busy from now on, and its mail comes along. */
import { noteSession } from "../sessions/note-session.ts";
import { type HookUseCase, hookedNews, placeOf, SILENCE } from "./hook-deps.ts";
import { lateArrival } from "./late-arrival.ts";
import { whatWaits } from "./what-waits.ts";

export const prompt: HookUseCase = async (deps, caller, call) => {
  deps.retired.revive({ harness: caller.harness, sessionId: call.sessionId });
  const place = await placeOf(deps, call);
  if (place) await noteSession(deps, caller, place.project, { ...hookedNews(deps, call), activity: "busy" });
  const { text: context, afterFlush } = await whatWaits(deps, caller, call);
  if (context !== "") return { context, afterFlush };
  const arrival = place ? await lateArrival(deps, caller, place) : SILENCE;
  return { ...arrival, afterFlush };
};
