/** Words that similar tools have for our commands. A line that uses them means the same here and runs. */
import type { Command } from "./command.ts";
import { type ParsedLine, parsedOrNull, parseLine, splitAtCommand } from "./parse.ts";

interface OtherWords {
  /** A command, followed by a word or a flag if that is what makes the difference. */
  readonly theirs: string;
  readonly ours: string;
  /** It is one of our commands as well, and means ours only where the line would be wrong otherwise. */
  readonly onlyIfWrong?: true;
}

const OTHER_WORDS: readonly OtherWords[] = [
  { theirs: "takeover", ours: "take" },
  { theirs: "assign next", ours: "release" },
  // Passed to nobody by name, the stick goes to the next in the queue.
  { theirs: "pass", ours: "release", onlyIfWrong: true },
  { theirs: "wait --park", ours: "listen" },
];

/** The line as it is, or in our words where it uses others. */
export function parseAnyWords(words: readonly string[], commands: readonly Command[]): ParsedLine {
  for (const row of OTHER_WORDS) {
    const line = inOurWords(words, row);
    if (line === null) continue;
    return row.onlyIfWrong ? parseEither(words, line, commands) : parseLine(line, commands);
  }
  return parseLine(words, commands);
}

function parseEither(words: readonly string[], otherwise: readonly string[], commands: readonly Command[]): ParsedLine {
  // A line that is wrong in both ways is told of the mistake in its own.
  return parsedOrNull(words, commands) ?? parsedOrNull(otherwise, commands) ?? parseLine(words, commands);
}

/** Null for a line that does not use these words. */
function inOurWords(words: readonly string[], { theirs, ours }: OtherWords): readonly string[] | null {
  const { before, name, after } = splitAtCommand(words);
  const [command, mark] = theirs.split(" ");
  if (name !== command) return null;
  const at = mark === undefined ? -1 : after.indexOf(mark);
  const isMarked = mark === undefined || at === 0 || (at > 0 && mark.startsWith("--"));
  if (!isMarked) return null;
  return [...before, ours, ...after.filter((_, index) => index !== at)];
}
