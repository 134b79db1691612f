import type { Caller } from "../../domain/given.ts";
import { isRefusal, type Refusal } from "../../domain/refusal.ts";
import { ACTIVITIES, type ActivityState } from "../../domain/session/session.ts";
import { decodeChoice } from "../decode.ts";
import type { Deps } from "../deps.ts";
import { locate } from "../locate.ts";
import { noteSession } from "./note-session.ts";

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
