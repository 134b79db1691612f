import { closeSync, openSync, readSync } from "node:fs";
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
      BigInt(`0x${freshBits().toString("hex")}`)
        .toString(36)
        .padStart(LENGTH, "0"),
  };
}

/** Bits are fetched for a few ids at once, and none is given out twice. */
const ID_BYTES = 16;
const POOL_IDS = 16;
let pool: Buffer = Buffer.alloc(0);

function freshBits(): Buffer {
  if (pool.length === 0) pool = randomBytes(ID_BYTES * POOL_IDS);
  const bits = pool.subarray(0, ID_BYTES);
  pool = pool.subarray(ID_BYTES);
  return bits;
}

/**
 * Bytes from the kernel. Node's own module for this takes longer to load than most commands take to run, so it
 * is only asked where the kernel's device cannot be read.
 */
function randomBytes(count: number): Buffer {
  const bits = Buffer.alloc(count);
  try {
    const device = openSync("/dev/urandom", "r");
    try {
      if (readSync(device, bits, 0, bits.length, null) === bits.length) return bits;
    } finally {
      closeSync(device);
    }
  } catch {
    // No such device here; the module below has its own way.
  }
  return process.getBuiltinModule("node:crypto").randomBytes(bits.length);
}

/** A number from 0 to 1, so that processes which wait for the same lock do not march in step. */
export function jitter(): number {
  return Math.random();
}
