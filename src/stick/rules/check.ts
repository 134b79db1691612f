/** A check: a command that an agent ran in its own shell, so under its own permissions, and whose end we saw. */
import type { Check } from "../../core/handoff.ts";
import { begin, type Decision, record } from "../../room/rules/change.ts";
import { holderShowsUp } from "../../room/rules/membership.ts";
import type { Room } from "../../room/rules/room.ts";
import { settle } from "../../room/rules/settle.ts";
import type { Given } from "../../session/rules/decision-input.ts";

export type CheckRecorded = { readonly recorded: true; readonly eventSeq: number } | { readonly recorded: false };

/** Only the holder's checks count: they go into its handoff. */
export function recordCheck(room: Room, given: Given, check: Check): Decision<CheckRecorded> {
  const settled = settle(begin(room), given);
  const { agentId } = given.caller;
  if (settled.room.state.owner !== agentId) return { change: settled, answer: { recorded: false } };
  const change = record(holderShowsUp(settled, given), given, "check_run", check, { from: agentId });
  return { change, answer: { recorded: true, eventSeq: change.room.state.lastSeq } };
}

export type CheckMark = "passed" | "failed" | "passed_before_changes";

/** `tree`: the files as they are now, or as they were at the end of the turn; null if that is not known. */
export function checkMark({ exitCode, tree: checked }: Check, tree: string | null): CheckMark {
  if (exitCode !== 0) return "failed";
  return checked !== null && tree !== null && checked !== tree ? "passed_before_changes" : "passed";
}
