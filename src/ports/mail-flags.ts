/**
 * Flags tell the hooks of a session that there may be something for it, so that they need not look. A flag says
 * nothing certain: whoever raises one does so after the commit, and whoever lowers one looks again afterwards. A lost
 * flag costs a session the time to its next prompt, and never a message. Neither of these throws.
 */
export interface MailFlags {
  raise(sessionIds: readonly string[]): void;
  lower(sessionId: string): void;
}
