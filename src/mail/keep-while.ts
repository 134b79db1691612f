import type { InFlight } from "../engine/operation.ts";

/**
 * A slow reader keeps its mail; once the answer has left the process the mail is acknowledged. If it could not leave,
 * because nobody reads any more or a disk is full, the mail goes back, and whoever wrote learns why.
 */
export async function keepWhile(taken: InFlight, written: Promise<void>): Promise<void> {
  const { inflightTimeoutMs = Number.POSITIVE_INFINITY } = taken;
  let extending = Promise.resolve();
  const again = () => {
    // If it fails, the next one may not; and at worst the message comes again.
    extending = extending.then(() => taken.extend?.()).catch(() => undefined);
  };
  const lasts = Number.isFinite(inflightTimeoutMs);
  const slow = lasts ? setInterval(again, Math.max(1, inflightTimeoutMs / 3)) : undefined;
  const isOut = await settled(written);
  clearInterval(slow);
  await extending;
  if (isOut) return taken.confirm();
  // If that fails, the message comes again when its time is up.
  await taken.giveBack().catch(() => undefined);
  return written;
}

async function settled(written: Promise<void>): Promise<boolean> {
  try {
    await written;
    return true;
  } catch {
    // The caller is told of it by the promise itself.
    return false;
  }
}
