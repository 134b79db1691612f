import type { Moment } from "../../core/time.ts";

/** The only way to learn the time. */
export interface Clock {
  now(): Moment;
  /** By how much that wall time is ahead of this machine's own, by which its files are dated. Absent if it is the same. */
  readonly aheadMs?: number;
}
