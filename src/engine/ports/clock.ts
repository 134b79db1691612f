import type { Moment } from "../../core/time.ts";

/** The only way to learn the time. */
export interface Clock {
  now(): Moment;
}
