import type { Moment } from "../domain/time.ts";

/** The only way to learn the time. */
export interface Clock {
  now(): Moment;
}
