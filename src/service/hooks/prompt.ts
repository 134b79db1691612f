/**
 * The session gets something to do: it is busy from now on, and its mail comes along. Where the word that it started was
 * lost, the prompt says as much: then it is its start, too.
 */
import { noteSession } from "../sessions/note-session.ts";
import { type HookUseCase, hookedNews, placeOf, SILENCE } from "./hook-deps.ts";
import { lateArrival } from "./late-arrival.ts";
import { sessionStart } from "./session-start.ts";
import { wasStartLost } from "./succeed.ts";
import { whatWaits } from "./what-waits.ts";

export const prompt: HookUseCase = async (deps, caller, call) => {
  deps.retired.revive({ harness: caller.harness, sessionId: call.sessionId });
  const isStart = wasStartLost(deps, caller);
  const { context: brief = "" } = isStart ? await sessionStart(deps, caller, { ...call, source: null }) : SILENCE;
  const place = await placeOf(deps, call);
  if (place) await noteSession(deps, caller, place.project, { ...hookedNews(deps, call), activity: "busy" });
  // The brief takes its room from the mail.
  const maxCharacters = call.maxCharacters - (brief === "" ? 0 : brief.length + 1);
  const { text, afterFlush } = await whatWaits(deps, caller, { ...call, maxCharacters });
  const context = [brief, text].filter((part) => part !== "").join("\n");
  if (context !== "") return { context, afterFlush };
  const arrival = place ? await lateArrival(deps, caller, place) : SILENCE;
  return { ...arrival, afterFlush };
};
