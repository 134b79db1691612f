import { isRefusal, type Refusal } from "../core/refusal.ts";
import { decodeChoice } from "../engine/decode.ts";
import type { Deps } from "../engine/deps.ts";
import { locate } from "../engine/locate.ts";
import { noteSession } from "./note-session.ts";
import type { Caller } from "./rules/decision-input.ts";
import { ACTIVITIES, type ActivityState } from "./rules/session.ts";

export interface ReportActivityInput {
  readonly contextPath: string;
  readonly activity: ActivityState;
}

/** For hooks: what the session is doing from now on, and with the caller's facts where its transcript lies. */
export async function reportActivity(
  deps: Deps,
  caller: Caller,
  input: ReportActivityInput,
): Promise<{ readonly changed: boolean } | Refusal> {
  const activity = decodeChoice("activity", input.activity, ACTIVITIES);
  if (isRefusal(activity)) return activity;
  const place = await locate(deps, input.contextPath);
  if (isRefusal(place)) return place;
  return { changed: await noteSession(deps, caller, place.project, { activity }) };
}
