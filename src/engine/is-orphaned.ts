import type { Caller } from "../session/rules/decision-input.ts";
import type { Deps } from "./deps.ts";

/**
 * Whether the caller's own harness is proven gone: nobody would see the answer. The session may live on in another
 * process, but that process did not make this call.
 */
export function isOrphaned({ probe }: Pick<Deps, "probe">, { process }: Caller): boolean {
  return process !== null && probe.verdict(process) === "gone";
}
