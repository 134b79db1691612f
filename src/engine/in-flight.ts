/** Mail, or a word about a loss, that an answer carries: confirmed once the answer is out, given back if it never gets out. */

export interface InFlight {
  readonly confirm: () => Promise<void>;
  /** The reader is slow: keeps the mail in flight. */
  readonly extend: () => Promise<void>;
  /** The reader has gone: the next door may take the mail at once. */
  readonly giveBack: () => Promise<void>;
  /** After this time unconfirmed mail comes again; infinite if there is none. */
  readonly inflightTimeoutMs: number;
  /** Some of the mail that remains can be read at once. The rest is in flight, backs off, or is left to an ask. */
  readonly moreIsReady: boolean;
}

export const NOTHING_IN_FLIGHT: InFlight = {
  confirm: async () => undefined,
  extend: async () => undefined,
  giveBack: async () => undefined,
  inflightTimeoutMs: Number.POSITIVE_INFINITY,
  moreIsReady: false,
};

/**
 * A slow reader keeps its mail; once the answer has left the process the mail is confirmed. If the answer cannot leave,
 * because its reader is gone or a disk is full, the mail goes back, and the caller gets the error of the write.
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
  { extend, inflightTimeoutMs }: Pick<InFlight, "extend" | "inflightTimeoutMs">,
  { keepsAlive = true }: { readonly keepsAlive?: boolean } = {},
): () => Promise<void> {
  if (!Number.isFinite(inflightTimeoutMs)) return async () => undefined;
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
