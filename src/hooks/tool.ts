/** A tool is about to be used, or has been: mail comes in between, and a session that is no longer alone joins. */
import { type HookUseCase, placeOf, SILENCE } from "./hook-deps.ts";
import { lateArrival } from "./join-later.ts";
import { settleWhatWasShown, whatWaits } from "./pending-for-session.ts";

export const tool: HookUseCase = async (deps, caller, call) => {
  if (call.maxCharacters === 0) {
    // What the model would not be shown must not be taken.
    await settleWhatWasShown(deps, caller, call);
    return SILENCE;
  }
  const { text: context, afterFlush, late } = await whatWaits(deps, caller, call);
  if (context !== "" || late) return { context, afterFlush, late };
  // The flag was raised for something else than mail, most likely because another session has come.
  const place = await placeOf(deps, call);
  const arrival = place ? await lateArrival(deps, caller, place) : SILENCE;
  return { ...arrival, afterFlush };
};
