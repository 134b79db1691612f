/** A tool is about to be used, or has been: mail comes in between, and whoever is no longer alone joins. */
import { type HookUseCase, placeOf, SILENCE } from "./hook-deps.ts";
import { lateArrival } from "./late-arrival.ts";
import { whatWaits } from "./what-waits.ts";

export const tool: HookUseCase = async (deps, caller, call) => {
  // What the model would not be shown must not be taken.
  if (call.maxCharacters === 0) return SILENCE;
  const { text: context, afterFlush } = await whatWaits(deps, caller, call);
  if (context !== "") return { context, afterFlush };
  // The flag was raised for something else than mail, most likely because somebody has come.
  const place = await placeOf(deps, call);
  const arrival = place ? await lateArrival(deps, caller, place) : SILENCE;
  return { ...arrival, afterFlush };
};
