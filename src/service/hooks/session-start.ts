/** A session starts, goes on after `/clear` or resume, or has just been compacted. */
import { adoptProvisional } from "../sessions/adopt-provisional.ts";
import { noteSession } from "../sessions/note-session.ts";
import { comeIn } from "./come-in.ts";
import { type HookUseCase, hookedNews, placeOf, SILENCE } from "./hook-deps.ts";
import { callOutsiders } from "./outsiders.ts";
import { roomBrief } from "./room-brief.ts";
import { serversOf } from "./server-news.ts";
import { showUpAnew, succeed } from "./succeed.ts";
import { settleShown } from "./waiting-mail.ts";

export const sessionStart: HookUseCase = async (deps, caller, call) => {
  deps.retired.revive({ harness: caller.harness, sessionId: call.sessionId });
  const place = await placeOf(deps, call);
  if (place) await adoptProvisional(deps, caller, place.project);
  const servers = place ? await serversOf(deps, caller, place.project) : {};
  const acting = await succeed(deps, caller, call, place);
  // What was shown to the session before is no longer in what its model reads, or may not be.
  await settleShown(deps, acting, call);
  if (!place) return SILENCE;
  // Compacting may happen in the middle of a turn; every other start is before the first one.
  const starts = call.source !== "compact";
  const news = starts ? ({ activity: "idle", servers } as const) : {};
  await noteSession(deps, acting, place.project, { ...hookedNews(deps, call), ...news });
  await showUpAnew(deps, acting);
  const { room, joined, hasCompany, arriving: called } = await comeIn(deps, acting, place, { starts });
  if (!room) return SILENCE;
  const arriving = joined ? called : await callOutsiders(deps, acting, room);
  return hasCompany ? { context: await roomBrief(deps, acting, room, arriving) } : SILENCE;
};
