/** Bounds that are the same in every room. What a room may choose for itself is in core/policy.ts. */
export const LIMITS = {
  eventsPerRead: 500,
  eventsPerWait: 100,
  eventsTail: 50,
  /** How many events one look scans for a filter before it reports how far it came. */
  eventsPerScan: 1000,
  notesPerRead: 200,
  notePreviewCharacters: 80,
  messagesPerRead: 50,
  messageBytesPerRead: 65_536,
  askMs: 300_000,
  /** How deep in a peer's unread mail an ask looks for its reply. */
  repliesPerLook: 500,
  deadLettersPerRead: 200,
  /** How much of a mailbox a waiter reads at a time. */
  deliveriesPerPage: 200,
  /** How long a receiver counts as one without saying so again. */
  receiverMs: 24 * 60 * 60 * 1000,
  /** Of a state card's purpose, and of what it is blocked on. */
  cardCharacters: 200,
  cardFiles: 20,
  /** Of a transcript, and of a terminal's pane. */
  turnsPerRead: 1000,
  transcriptBytes: { min: 256, max: 1_000_000 },
  paneLines: 10_000,
  paneCharacters: 1_000_000,
  /** A new id has so many; its beginning names it if that is long enough and no other id begins so. */
  newIdCharacters: 25,
  idPrefixCharacters: 4,
  /** Of a session's id, which a harness made: some begin with the time. A kind such as `ses_` does not count. */
  sessionPrefixCharacters: 8,
  /** Of the ids that begin so, a refusal names at most that many. */
  idCandidates: 5,
  idCharacters: 256,
  /** Enough for `{sender}:{nanoseconds}` with the longest sender. */
  msgIdCharacters: 512,
  reasonCharacters: 2000,
  pathCharacters: 4096,
  waitMs: 24 * 60 * 60 * 1000,
  /** A machine that slept gives every deadline at least this long after it woke. */
  resumeGraceMs: 60_000,
  /** Clocks read one after the other differ by a little; only a larger gap means sleep. */
  suspendToleranceMs: 1000,
} as const;

/** Created on first use: most commands measure no text, and creating it takes time. */
let encoder: InstanceType<typeof TextEncoder> | null = null;

/** How many bytes a text has as UTF-8. */
export function utf8Length(text: string): number {
  encoder ??= new TextEncoder();
  return encoder.encode(text).length;
}
