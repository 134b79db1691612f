import { type Refusal, refuse } from "../core/refusal.ts";
import type { Caller } from "../session/rules/decision-input.ts";

/** A subagent takes no mail, so a wait for mail would give it the same message again and again. Null for every other. */
export function refuseSubagent({ facts }: Caller): Refusal | null {
  if (!facts?.isSubagent) return null;
  return refuse("not_authorized", "A subagent does not wait for mail: the mail is the main agent's.", [
    "Leave mail to the main agent, or look once: ",
    { do: "read_my_messages" },
  ]);
}
