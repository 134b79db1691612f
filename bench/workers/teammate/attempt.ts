/** Every call of an agent goes through here: it is timed, and told whatever came of it, before anything else happens. */
import { writeSync } from "node:fs";
import { Fault } from "../../../src/core/fault.ts";
import { isRefusal, type Refusal } from "../../../src/core/refusal.ts";
import { nowUs } from "../../marks.ts";
import type { Call, Deed, Line } from "../../scale/records.ts";

/** Written when this returns, so that what a killed agent has told is known. */
export function tell(line: Line): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

/** In real time: after a fault an agent waits for so long before it tries again. */
export const AFTER_FAULT_MS = 500;

export type Outcome<Answer> = { readonly done: Answer } | { readonly refused: string } | { readonly fault: string };

type Facts = Omit<Deed, "call" | "begunUs" | "endedUs">;

/**
 * `facts` are what the account needs to know of the answer; null if the call brought nothing worth telling. `known` is told
 * whatever came of it.
 */
export async function attempt<Answer>(
  call: Call,
  work: () => Promise<Answer | Refusal>,
  facts: (answer: Answer) => Facts | null = () => ({}),
  known: Facts = {},
): Promise<Outcome<Answer>> {
  const begunUs = nowUs();
  const ended = (more: Facts) => tell({ call, begunUs, endedUs: nowUs(), ...known, ...more });
  try {
    const answer = await work();
    if (isRefusal(answer)) {
      ended({ refused: answer.error });
      return { refused: answer.error };
    }
    const told = facts(answer);
    if (told !== null) ended(told);
    return { done: answer };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    ended({ fault: error.code });
    return { fault: error.code };
  }
}
