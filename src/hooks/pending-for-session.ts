/** Everything that waits for a session: its mail, what there is to say about sticks, and that its tools are gone. */
import type { Caller } from "../session/rules/decision-input.ts";
import type { HookDeps } from "./hook-deps.ts";
import { lossNews, settleLosses } from "./loss-news.ts";
import type { HookCall } from "./rules/hook.ts";
import { serverNews } from "./server-news.ts";
import { stickNews } from "./stick-news.ts";
import { type HookMail, settleShown, waitingMail } from "./waiting-mail.ts";

/** `spent`: what the hook says besides. */
export async function whatWaits(deps: HookDeps, caller: Caller, call: HookCall, spent = 0): Promise<HookMail> {
  const flag = deps.flags.look(call.sessionId);
  const snapshot = await deps.store.readRooms({ agentId: caller.agentId });
  const losses = await lossNews(deps, caller, call, snapshot.rooms);
  const sticks = await stickNews(deps, caller, snapshot, {
    atEnd: call.event === "stop",
    // Without a name nothing shows that a turn goes on for us already, so a holder is reminded once.
    again: call.sign.turn !== null,
  });
  const server = await serverNews(deps, caller, call);
  const advice = await deps.adviceNews(deps, caller, call);
  // The other texts reduce the space for mail.
  const besides = joined(losses.text, sticks.text, server.text, advice.text);
  const mail = await waitingMail(deps, caller, call, flag, spent + (besides === "" ? 0 : besides.length + 1));
  // A loss comes first: the agent must stop writing.
  const waits = joined(losses.text, advice.text, mail.text, sticks.text);
  // No turn goes on only for the loss of tools; the next prompt tells of it.
  const tellsOfServer = !mail.late && server.text !== "" && (call.event !== "stop" || waits !== "");
  return {
    ...mail,
    text: tellsOfServer ? joined(waits, server.text) : waits,
    afterFlush: async () => {
      await sticks.remember();
      await mail.afterFlush();
      await losses.remember();
      await advice.remember();
      if (tellsOfServer) await server.remember();
    },
  };
}

function joined(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("\n");
}

/** For a hook that shows nothing: it only settles what was shown before. */
export async function settleWhatWasShown(deps: HookDeps, caller: Caller, call: HookCall): Promise<void> {
  await settleShown(deps, caller, call);
  settleLosses(deps, caller, call);
}
