import type { Place } from "../engine/ports/workspace.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { comeIn } from "./auto-join.ts";
import { type HookDeps, type HookOutcome, SILENCE } from "./hook-deps.ts";
import { roomBrief } from "./room-brief.ts";

/** A session that was alone when it started joins now if it no longer is, and is told so once. */
export async function lateArrival(deps: HookDeps, caller: Caller, place: Place): Promise<HookOutcome> {
  const { room, joined, hasCompany, arriving } = await comeIn(deps, caller, place, { starts: false });
  if (!room || !joined) return SILENCE;
  return hasCompany ? { context: await roomBrief(deps, caller, room, arriving) } : SILENCE;
}
