/**
 * The session gets a prompt: it is busy from now on, and its mail comes along. If the hook of its start was lost, the
 * prompt also counts as its start. Text that is typed into a running turn shows nothing: the next event of the turn
 * might belong to an answer that was given before it.
 */

import type { Place } from "../engine/ports/workspace.ts";
import { noteSession } from "../session/note-session.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { lateArrival } from "./auto-join.ts";
import { type HookDeps, type HookUseCase, hookedNews, placeOf, SILENCE } from "./hook-deps.ts";
import { whatWaits } from "./pending-for-session.ts";
import { hasMovedOn } from "./rotated.ts";
import type { HookCall } from "./rules/hook.ts";
import { beginSession } from "./session-start.ts";
import { wasStartLost } from "./succeed.ts";

export const prompt: HookUseCase = async (deps, given, call) => {
  deps.retired.revive({ harness: given.harness, sessionId: call.sessionId });
  const source = hasMovedOn(deps, given, call) ? "resume" : null;
  const isStart = source !== null || wasStartLost(deps, given);
  const begun = isStart ? await beginSession(deps, given, { ...call, source }) : { acting: given };
  const { context: brief = "", acting: caller } = begun;
  const place = await placeOf(deps, call);
  if (place && (await isTypedIntoTurn(deps, caller, call, place))) return SILENCE;
  const { turn } = call.sign;
  // Perhaps no hook reported that the turn before was stopped.
  const news = { ...hookedNews(deps, call), activity: "busy", begins: true, turn } as const;
  const isNoted = place !== null && (await noteSession(deps, caller, place.project, news));
  // The brief takes its room from the mail.
  const spent = brief === "" ? 0 : brief.length + 1;
  const { text, afterFlush, late } = await whatWaits(deps, caller, call, spent);
  const context = [brief, text].filter((part) => part !== "").join("\n");
  if (context !== "" || late) return { context, afterFlush, late };
  const arrival = place ? await lateArrival(deps, caller, place) : SILENCE;
  return { ...arrival, afterFlush, foundNothing: isNoted && !isStart && !arrival.context };
};

async function isTypedIntoTurn(deps: HookDeps, caller: Caller, call: HookCall, place: Place): Promise<boolean> {
  const { turn } = call.sign;
  if (turn === null) return false;
  const sessions = await deps.store.readSessions(place.project);
  return sessions.some((session) => session.agentId === caller.agentId && session.turn === turn);
}
