/**
 * The model has finished. What waits for it is shown once by letting the turn go on. A turn that goes on for a hook
 * already is let end whatever waits, so that no session can be kept from resting.
 */
import { noteSession } from "../session/note-session.ts";
import { type HookUseCase, placeOf, SILENCE } from "./hook-deps.ts";
import { settleWhatWasShown, whatWaits } from "./pending-for-session.ts";

export const stop: HookUseCase = async (deps, caller, call) => {
  const mayGoOn = !call.stopHookActive && call.maxCharacters > 0 && call.sign.event !== "broke_off";
  const waiting = mayGoOn ? await whatWaits(deps, caller, call) : null;
  if (waiting === null) await settleWhatWasShown(deps, caller, call);
  else if (waiting.late || waiting.text !== "") {
    const { text: goOn, afterFlush, late } = waiting;
    return { goOn, afterFlush, late };
  }
  const place = await placeOf(deps, call);
  if (place)
    await noteSession(deps, caller, place.project, {
      activity: "idle",
      hooked: true,
      ...(call.sign.turn !== null && { turn: call.sign.turn }),
    });
  return waiting ? { afterFlush: waiting.afterFlush } : SILENCE;
};
