import type { ShownNames } from "./names.ts";
import type { Painter } from "./paint.ts";

/** The reader of a text: how wide the terminal is, and how to type the commands that the text names. */
export interface Page {
  readonly width: number;
  /** `tt`, with the flags that say again who was named and which place was meant. */
  readonly tt: string;
  readonly names: ShownNames;
  readonly paint: Painter;
}

/** A text with times in it. */
export interface Reading extends Page {
  readonly nowMs: number;
  /** The directory that the command is about. */
  readonly directory: string;
}
