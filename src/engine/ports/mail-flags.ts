/**
 * Flags tell the hooks of a session that there may be something for it, so that they need not look. A flag says
 * nothing certain: whoever raises one does so after the commit, and whoever lowers one has looked at it before it looked
 * for anything else. A lost flag costs a session the time to the end of its turn, or to its next prompt, and never a
 * message. None of these throws.
 */
export interface MailFlags {
  /** Answers those whose flag is up now. Of the others only the hooks that look without a flag show anything. */
  raise(sessionIds: readonly string[]): ReadonlySet<string>;
  /** Differs whenever the flag was raised in between; null while it is down. */
  look(sessionId: string): FlagSight;
  /** Only if it was not raised since it was looked at. Without a sight, in any case. */
  lower(sessionId: string, seen?: FlagSight): void;
}

export type FlagSight = string | null;
