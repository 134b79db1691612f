/** Everything that waits for a session: its mail, and what there is to say about sticks. */
import type { Caller } from "../../domain/given.ts";
import type { HookCall } from "../../domain/hooks/hook.ts";
import type { HookDeps } from "./hook-deps.ts";
import { stickNews } from "./stick-news.ts";
import { type HookMail, waitingMail } from "./waiting-mail.ts";

/** `spent`: what the hook says besides. */
export async function whatWaits(deps: HookDeps, caller: Caller, call: HookCall, spent = 0): Promise<HookMail> {
  const flag = deps.flags.look(call.sessionId);
  const sticks = await stickNews(deps, caller, {
    atEnd: call.event === "stop",
    // Without a name nothing shows that a turn goes on for us already, so a holder is reminded once.
    again: call.sign.turn !== null,
  });
  // What is said about sticks takes its room from the mail.
  const besides = spent + (sticks.text === "" ? 0 : sticks.text.length + 1);
  const mail = await waitingMail(deps, caller, call, flag, besides);
  return {
    ...mail,
    text: [mail.text, sticks.text].filter((part) => part !== "").join("\n"),
    afterFlush: async () => {
      sticks.remember();
      await mail.afterFlush();
    },
  };
}
