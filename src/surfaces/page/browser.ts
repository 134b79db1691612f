/** What the page needs of its browser besides the document: time and random names. */

export function nowMs(): number {
  return Date.now();
}

/** For figures of one page, such as how long a frame took. */
export function elapsedSinceLoad(): number {
  return performance.now();
}

/** A name for a message, so that a repeated send is one message. */
export function freshName(): string {
  return crypto.randomUUID();
}
