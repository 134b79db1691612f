/** A person may do what the rules refuse to agents: it is told how, where agents are told to ask a person. */
import type { Refusal, RefusalCode } from "../../core/refusal.ts";
import type { Session } from "./context.ts";

export function forPerson(
  { caller }: Session,
  refusal: Refusal,
  next: Readonly<Partial<Record<RefusalCode, string>>>,
): Refusal {
  const better = caller.isPerson ? next[refusal.error] : undefined;
  return better === undefined ? refusal : { ...refusal, next: better };
}
