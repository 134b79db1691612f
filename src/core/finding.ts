/** One thing that `tt doctor` found. */
export interface Finding {
  readonly name: string;
  readonly level: "ok" | "warning" | "broken";
  readonly text: string;
  /** The next command to type. */
  readonly next?: string;
}
