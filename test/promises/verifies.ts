import { expect, it } from "vitest";
import { PROMISES, type PromiseId } from "./promises.ts";

/**
 * A test that can break a promise. The title starts with the promise's id, so a failure names it. Without a limit of
 * its own, a test may take as long as its suite allows.
 */
export function verifies(id: PromiseId, title: string, test: () => void | Promise<void>, limitMs?: number): void {
  it(`${id} ${PROMISES[id]}: ${title}`, test, limitMs);
}

/** How much of the long campaign runs: all of it is 1, and without a campaign it is 0. */
const part = process.env["TT_CAMPAIGN"];
const share = Number(part ?? 0);
if (part !== undefined && !(share > 0 && share <= 1)) {
  throw new Error("TT_CAMPAIGN is 1, or the part of the campaign to run, such as 0.1");
}

/** The figure for every CI run, or the one for the campaign, of which no part is less than every run. */
export function figure(ci: number, long: number): number {
  if (share === 0) return ci;
  return long < ci ? long : Math.max(ci, Math.ceil(share * long));
}

/** A random seed, printed when a test fails, and by a campaign in any case; TT_SEED repeats a run. */
export function freshSeed(): number {
  const given = process.env["TT_SEED"];
  const seed = given === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(given);
  if (share > 0) console.info(`seed ${seed}: ${expect.getState().currentTestName}`);
  return seed;
}
