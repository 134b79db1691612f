import { closeSync, openSync, readSync } from "node:fs";
import type { Randomness } from "../../engine/ports/randomness.ts";

/** As many base-36 digits as 128 bits need. */
const LENGTH = 25;

/**
 * 128 random bits in lower-case letters and digits: short, one word for a double click, the same in every
 * shell and in any letter case, and never to be taken for an option, as a leading dash would be.
 */
export function createRandomness(): Randomness {
  return {
    id() {
      if (ready.length === 0) makeReady();
      return ready.pop() as string;
    },
  };
}

/** Several ids are made at once, which takes little longer than one. None is given out twice. */
const ID_BYTES = 16;
const MOST_READY = 32;
const ready: string[] = [];
let batch = 4;

/** Most processes need a handful; one that asks again needs many. */
function makeReady(): void {
  const bits = randomBytes(ID_BYTES * batch);
  for (let at = 0; at < bits.length; at += ID_BYTES) {
    const id = BigInt(`0x${bits.toString("hex", at, at + ID_BYTES)}`).toString(36);
    ready.push(id.padStart(LENGTH, "0"));
  }
  batch = MOST_READY;
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
