import { setTimeout } from "node:timers/promises";

const LOOK_EVERY_MS = 100;
const LONGEST_MS = Number(process.env["TT_LONGEST"] ?? 180_000);

/** Waits until something is so, and otherwise fails with what was to be seen last. */
export async function until(what: string, isSo: () => boolean, seen: () => string = () => ""): Promise<void> {
  const end = Date.now() + LONGEST_MS;
  while (!isSo()) {
    if (Date.now() > end) throw new Error(`Not after ${LONGEST_MS / 1000} s: ${what}\n${seen()}`);
    await setTimeout(LOOK_EVERY_MS);
  }
}
