/** What one command of a line does to files, and how several of them add up. */

export type Effect = "reads" | "writes" | "unknown";

export interface ShellEffect {
  readonly effect: Effect;
  /**
   * For `writes`: every path that is written, if each is a literal; null if one is not. Relative paths are relative to
   * the directory in which the command starts, with a literal `cd` before it followed. A path may be a directory in
   * which, or a repository's directory around which, something is written. It may lie above a room.
   */
  readonly targets: readonly string[] | null;
  /**
   * The word of a part whose effect is unknown, if there is one. A line that writes may have such a part, too: then it
   * may write more than its targets.
   */
  readonly hidden: string | null;
  /** The word of the command that decided, for messages and tests, e.g. "rm" or ">". */
  readonly because: string | null;
}

/** Something that is not a read. */
export interface ShellFinding {
  readonly effect: "writes" | "unknown";
  readonly because: string;
  readonly targets: readonly string[] | null;
}

export function unknown(because: string): readonly ShellFinding[] {
  return [{ effect: "unknown", because, targets: null }];
}

export function writes(because: string, targets: readonly string[] | null): readonly ShellFinding[] {
  return [{ effect: "writes", because, targets }];
}

/** One write makes the line a write; after that, one doubt makes it unknown. */
export function combine(findings: readonly ShellFinding[]): ShellEffect {
  const writing = findings.filter(({ effect }) => effect === "writes");
  const first = writing[0] ?? findings[0];
  const hidden = findings.find(({ effect }) => effect === "unknown")?.because ?? null;
  if (first === undefined) return { effect: "reads", targets: null, hidden, because: null };
  if (first.effect === "unknown") return { effect: "unknown", targets: null, hidden, because: first.because };
  const targets = new Set(writing.flatMap((finding) => finding.targets ?? []));
  const isLiteral = writing.every((finding) => finding.targets !== null);
  return { effect: "writes", targets: isLiteral ? [...targets] : null, hidden, because: first.because };
}
