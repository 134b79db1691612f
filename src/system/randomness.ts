import { randomBytes } from "node:crypto";
import type { Randomness } from "../ports/randomness.ts";

/** As many base-36 digits as 128 bits need. */
const LENGTH = 25;

/**
 * 128 random bits in lower-case letters and digits: short, one word for a double click, the same in every
 * shell and in any letter case, and never to be taken for an option, as a leading dash would be.
 */
export function createRandomness(): Randomness {
  return {
    id: () =>
      BigInt(`0x${randomBytes(16).toString("hex")}`)
        .toString(36)
        .padStart(LENGTH, "0"),
  };
}

/** A number from 0 to 1, so that processes which wait for the same lock do not march in step. */
export function jitter(): number {
  return Math.random();
}
