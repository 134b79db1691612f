import type { InFlight } from "../engine/operation.ts";

/**
 * A slow reader keeps its mail; once the answer has left the process the mail is acknowledged. If it could not leave,
 * because nobody reads any more or a disk is full, the mail goes back, and the writer learns why.
 */
export async function keepWhile(taken: InFlight, written: Promise<void>): Promise<void> {
  const stop = keepInFlight(taken);
  const isOut = await settled(written);
  await stop();
  if (isOut) return taken.confirm();
  // If that fails, the message comes again when its time is up.
  await taken.giveBack().catch(() => undefined);
  return written;
}

/** Extends the time in flight again and again. Stop it before the mail is answered for. */
export function keepInFlight(
  { extend, inflightTimeoutMs = Number.POSITIVE_INFINITY }: Pick<InFlight, "extend" | "inflightTimeoutMs">,
  { keepsAlive = true }: { readonly keepsAlive?: boolean } = {},
): () => Promise<void> {
  if (!extend || !Number.isFinite(inflightTimeoutMs)) return async () => undefined;
  let extending = Promise.resolve();
  const again = () => {
    // If it fails, the next one may not; at worst the message comes again.
    extending = extending.then(extend).catch(() => undefined);
  };
  const slow = setInterval(again, Math.max(1, inflightTimeoutMs / 3));
  if (!keepsAlive) slow.unref();
  return () => {
    clearInterval(slow);
    return extending;
  };
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
