import type { InFlight } from "./take-messages.ts";

/** A slow reader keeps its mail; once the answer has left the process the mail is acknowledged. */
export async function keepWhile(taken: InFlight, written: Promise<void>): Promise<void> {
  if (taken.inflightTimeoutMs === Number.POSITIVE_INFINITY) return written;
  const everyMs = Math.max(1, taken.inflightTimeoutMs / 3);
  let extending = Promise.resolve();
  const slow = setInterval(() => {
    // If it fails, the next one may not; and at worst the message comes again.
    extending = extending.then(taken.extend).catch(() => undefined);
  }, everyMs);
  try {
    await written;
  } finally {
    clearInterval(slow);
  }
  await extending;
  await taken.confirm();
}
