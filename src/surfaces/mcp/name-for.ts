/** An operation as the model calls it: its tool, the gateway where that is all there is, or the command. */
import type { Step } from "../../core/next.ts";
import { commandFor } from "../cli/command-for.ts";

interface Offer {
  readonly tools: { has(name: string): boolean };
  /** A number that no call of this server was told to name before. */
  readonly nextAttempt: () => number;
}

export function nameFor(step: Step, { tools, nextAttempt }: Offer): string {
  const { do: name } = step;
  // Gemini CLI stops a model that repeats one call, or a few in a circle: each wait names another attempt.
  const given = name === "wait_for_turn" ? { ...step.with, attempt: nextAttempt() } : step.with;
  if (tools.has(name)) return given ? `${name} ${JSON.stringify(given)}` : name;
  if (tools.has("tt")) return `tt ${JSON.stringify({ operation: name, ...(given && { arguments: given }) })}`;
  return commandFor(step);
}
