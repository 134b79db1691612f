import { it } from "vitest";
import { PROMISES, type PromiseId } from "./promises.ts";

/**
 * A test that can break a promise. The title starts with the promise's id, so a failure names it. Without a limit of
 * its own, a test may take as long as its suite allows.
 */
export function verifies(id: PromiseId, title: string, test: () => void | Promise<void>, limitMs?: number): void {
  it(`${id} ${PROMISES[id]}: ${title}`, test, limitMs);
}

const campaign = process.env["TT_CAMPAIGN"] !== undefined;

/** The figure for every CI run, or the one for the long campaign. */
export function figure(ci: number, long: number): number {
  return campaign ? long : ci;
}

/** A random seed, printed when a test fails; TT_SEED repeats a run. */
export function freshSeed(): number {
  const given = process.env["TT_SEED"];
  return given === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(given);
}
