/** The secret of one run of the page's server. It lives in memory alone, and ends with the run. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

const BYTES = 32;

export interface RunSecret {
  readonly text: string;
  /** Takes the same time for every wrong guess. */
  matches(given: string): boolean;
}

export function createRunSecret(): RunSecret {
  const text = randomBytes(BYTES).toString("base64url");
  const wanted = digestOf(text);
  // Digests have one length, so not even the length of the secret shows.
  return { text, matches: (given) => timingSafeEqual(digestOf(given), wanted) };
}

function digestOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
