/** Whether a person started this command, for what acts only in a person's name. */
import { isRefusal } from "../../core/refusal.ts";
import type { Caller } from "../../session/rules/decision-input.ts";
import { callerOf } from "../../session/rules/identity.ts";
import type { CliContext } from "./context.ts";

/**
 * The person who started this; null for everyone else, who may only look. A person who names an agent works in its name:
 * here that would take the mail of the agent.
 */
export async function personOf(context: CliContext): Promise<Caller | null> {
  const identification = await context.identification();
  if (isRefusal(identification) || isRefusal(identification.identity)) return null;
  const { identity } = identification;
  // An unknown harness may run on a terminal, too.
  return identity.idSource === "person" && !context.ports.insideHarness() ? callerOf(identity) : null;
}
