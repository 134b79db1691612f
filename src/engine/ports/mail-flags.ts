/**
 * A flag tells the hooks of a session that there may be something for it. Without a flag they need not open the store.
 * A flag is only a hint. A sender raises it after the commit. A reader looks at the flag before it looks for mail, and
 * lowers it afterwards. A lost flag delays a message, mostly to the end of the turn or to the next
 * prompt, and for a session that had nothing to do by five minutes more at most. It never loses one.
 * None of these throws.
 */
export interface MailFlags {
  /** Returns the sessions whose flag is up now. For the others, only hooks that look without a flag show anything. */
  raise(sessionIds: readonly string[]): ReadonlySet<string>;
  /** Differs whenever the flag was raised in between; null while it is down. */
  look(sessionId: string): FlagSight;
  /** Only if it was not raised since it was looked at. Without a sight, in any case. */
  lower(sessionId: string, seen?: FlagSight): void;
}

export type FlagSight = string | null;
