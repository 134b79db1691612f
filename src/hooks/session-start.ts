/** A session starts, goes on after `/clear` or resume, or has just been compacted. */

import { adoptProvisional } from "../session/adopt-provisional.ts";
import { noteSession } from "../session/note-session.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { briefFor, comeIn } from "./auto-join.ts";
import { type HookDeps, type HookUseCase, hookedNews, placeOf, SILENCE } from "./hook-deps.ts";
import { lossNews } from "./loss-news.ts";
import { settleWhatWasShown } from "./pending-for-session.ts";
import type { HookCall } from "./rules/hook.ts";
import { serversOf } from "./server-news.ts";
import { followPresentProcess, succeed } from "./succeed.ts";

export const sessionStart: HookUseCase = async (deps, caller, call) => {
  const { context: brief = "", acting } = await beginSession(deps, caller, call);
  const { rooms } = await deps.store.readRooms({ agentId: acting.agentId });
  const losses = await lossNews(deps, acting, call, rooms);
  const context = [losses.text, brief].filter((part) => part !== "").join("\n");
  return context === "" ? SILENCE : { context, afterFlush: async () => losses.remember() };
};

/** The same for a session whose prompt tells that it has begun: what waits for it comes with that prompt. */
export async function beginSession(
  deps: HookDeps,
  caller: Caller,
  call: HookCall,
): Promise<{ readonly context?: string; readonly acting: Caller }> {
  deps.retired.revive({ harness: caller.harness, sessionId: call.sessionId });
  const place = await placeOf(deps, call);
  if (place) await adoptProvisional(deps, caller, place.project);
  const servers = place ? await serversOf(deps, caller, place.project) : {};
  const acting = await succeed(deps, caller, call, place);
  // The model may no longer see what was shown to the session before.
  await settleWhatWasShown(deps, acting, call);
  if (!place) return { acting };
  // Compacting may happen in the middle of a turn; every other start is before the first one.
  const starts = call.source !== "compact";
  const news = starts ? ({ activity: "idle", servers } as const) : {};
  await noteSession(deps, acting, place.project, { ...hookedNews(deps, call), ...news });
  await followPresentProcess(deps, acting);
  return { acting, context: await briefFor(deps, acting, await comeIn(deps, acting, place, { starts })) };
}
