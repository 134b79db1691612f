/** Everything that waits for a session: its mail, and what there is to say about sticks. */
import type { Caller } from "../../domain/given.ts";
import type { HookCall } from "../../domain/hooks/hook.ts";
import type { HookDeps } from "./hook-deps.ts";
import { lossNews, settleLosses } from "./loss-news.ts";
import { stickNews } from "./stick-news.ts";
import { type HookMail, settleShown, waitingMail } from "./waiting-mail.ts";

/** `spent`: what the hook says besides. */
export async function whatWaits(deps: HookDeps, caller: Caller, call: HookCall, spent = 0): Promise<HookMail> {
  const flag = deps.flags.look(call.sessionId);
  const snapshot = await deps.store.readRooms({ agentId: caller.agentId });
  const losses = await lossNews(deps, caller, call, snapshot.rooms);
  const sticks = stickNews(deps, caller, snapshot, {
    atEnd: call.event === "stop",
    // Without a name nothing shows that a turn goes on for us already, so a holder is reminded once.
    again: call.sign.turn !== null,
  });
  // What is said about sticks takes its room from the mail.
  const besides = [losses.text, sticks.text]
    .filter((text) => text !== "")
    .reduce((sum, { length }) => sum + length + 1, 0);
  const mail = await waitingMail(deps, caller, call, flag, spent + besides);
  return {
    ...mail,
    // What must not be done any more comes first.
    text: [losses.text, mail.text, sticks.text].filter((part) => part !== "").join("\n"),
    afterFlush: async () => {
      sticks.remember();
      await mail.afterFlush();
      losses.remember();
    },
  };
}

/** For a hook that shows nothing: only what it tells of the turn counts. */
export async function settleWhatWasShown(deps: HookDeps, caller: Caller, call: HookCall): Promise<void> {
  await settleShown(deps, caller, call);
  settleLosses(deps, caller, call);
}
