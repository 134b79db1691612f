/** Bounds that are the same in every room. What a room may choose for itself is in room/policy.ts. */
export const LIMITS = {
  eventsPerRead: 500,
  eventsPerWait: 100,
  eventsTail: 50,
  /** How many events one look scans for a filter before it reports how far it came. */
  eventsPerScan: 1000,
  notesPerRead: 200,
  notePreviewCharacters: 80,
  idCharacters: 256,
  reasonCharacters: 2000,
  pathCharacters: 4096,
  waitMs: 24 * 60 * 60 * 1000,
  /** A machine that slept gives every deadline at least this long after it woke. */
  resumeGraceMs: 60_000,
  /** Clocks read one after the other differ by a little; only a larger gap means sleep. */
  suspendToleranceMs: 1000,
} as const;
