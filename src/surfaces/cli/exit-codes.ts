/** The exit codes, pinned: scripts and agents branch on them. */
export const EXIT = {
  done: 0,
  usage: 2,
  notYet: 3,
  takeoverAvailable: 4,
  refused: 5,
  closed: 6,
  fault: 70,
  interrupted: 130,
} as const;
