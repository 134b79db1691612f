/** For whom a text is made: how wide the terminal is, and how the commands that it names are to be typed. */
export interface Page {
  readonly width: number;
  /** `tt`, with the flags that say again who was named and which place was meant. */
  readonly tt: string;
}

/** A text with times in it. */
export interface Reading extends Page {
  readonly nowMs: number;
}
