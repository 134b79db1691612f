import { ignoringFaults } from "../engine/ignoring-faults.ts";
import type { Place } from "../engine/ports/workspace.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { callOutsiders } from "../session/sessions-without-room.ts";
import { comeIn } from "./auto-join.ts";
import { type HookDeps, type HookOutcome, SILENCE } from "./hook-deps.ts";
import { roomBrief } from "./room-brief.ts";

/** A session that was alone when it started joins now if it no longer is, and is told so once. */
export async function lateArrival(deps: HookDeps, caller: Caller, place: Place): Promise<HookOutcome> {
  const { room, joined, hasCompany } = await comeIn(deps, caller, place, { starts: false });
  if (!room || !joined || !hasCompany) return SILENCE;
  // It has joined, whether or not the store tells now who comes next.
  const arriving = await ignoringFaults(() => callOutsiders(deps, caller, room));
  return { context: await roomBrief(deps, caller, room, arriving ?? 0) };
}
