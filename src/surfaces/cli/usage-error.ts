import { nearest } from "../../core/nearest.ts";
import { quoted } from "../../core/visible.ts";

/** The command line itself is wrong: exit 2, with the nearest right thing to type. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly next: string;

  constructor(message: string, next: string) {
    super(message);
    this.next = next;
  }
}

export function unknownVerb(command: string, word: string, verbs: readonly string[]): UsageError {
  const near = nearest(word, verbs);
  return new UsageError(
    `tt ${command} does not know ${quoted(word)}.`,
    near ? `Did you mean: tt ${command} ${near}` : `It knows ${verbs.join(", ")}. See how with: tt ${command} --help`,
  );
}
