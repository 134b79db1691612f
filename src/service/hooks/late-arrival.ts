import type { Caller } from "../../domain/given.ts";
import type { Place } from "../../ports/workspace.ts";
import { comeIn } from "./come-in.ts";
import { type HookDeps, type HookOutcome, SILENCE } from "./hook-deps.ts";
import { roomBrief } from "./room-brief.ts";

/** A session that was alone when it started joins now if it no longer is, and is told so once. */
export async function lateArrival(deps: HookDeps, caller: Caller, place: Place): Promise<HookOutcome> {
  const { room, joined, hasCompany, arriving } = await comeIn(deps, caller, place, { starts: false });
  if (!room || !joined) return SILENCE;
  return hasCompany ? { context: await roomBrief(deps, caller, room, arriving) } : SILENCE;
}
