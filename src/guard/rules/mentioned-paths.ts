/**
 * The words of a command that may be paths. They matter only where the parser could not tell what is written: a room that
 * the line names is then concerned, wherever the session works.
 */

export interface MentionedPath {
  /** The word up to its first pattern or variable; `~` and `$HOME` are replaced. */
  readonly path: string;
  /** Whether something was cut off: then everything below may be meant. */
  readonly isCut: boolean;
}

/** Longer lines name too much to be looked at. */
const MOST = 100;
const MOST_CHARACTERS = 100_000;
const NOT_LITERAL = /[*?[{$\\]/;

export function mentionedPaths(command: string, home: string | null): readonly MentionedPath[] {
  const found = [...new Set(wordsIn(command.slice(0, MOST_CHARACTERS)))].flatMap((word) => {
    const whole = home === null ? word : word.replace(/^(?:~|\$HOME|\$\{HOME\})(?=\/|$)/, home);
    const end = whole.search(NOT_LITERAL);
    const path = (end < 0 ? whole : whole.slice(0, end)).replace(/(?<=.)\/+$/, "");
    return path === "" || path.startsWith("-") ? [] : [{ path, isCut: end >= 0 }];
  });
  return found.slice(0, MOST);
}

const [SINGLE, DOUBLE, ESCAPED] = [/'([^']*)'/, /"((?:[^"\\]|\\[^])*)"/, /\\([^])/].map(({ source }) => source);
const QUOTED = new RegExp(`${SINGLE}|${DOUBLE}|${ESCAPED}`, "g");
const WORD = new RegExp(`(?:[^\\s;|&()<>\`"'\\\\]|${QUOTED.source})+`, "g");
const WITHIN_WORD = /[=,:]+/;
/** A script in quotes may quote again. */
const DEEPEST = 3;

/** The words of a line, without their quotes. A word in quotes may have blanks, or be a script with words of its own. */
function wordsIn(text: string, depth = 1): readonly string[] {
  const words = text.match(WORD)?.slice(0, MOST * 10) ?? [];
  return words.flatMap((word) => {
    const plain = withoutQuotes(word);
    const inner = plain === word || depth === DEEPEST ? [] : wordsIn(plain, depth + 1);
    return [plain, ...plain.split(WITHIN_WORD), ...inner];
  });
}

function withoutQuotes(word: string): string {
  return word.replace(
    QUOTED,
    (_, single?: string, double?: string, escaped?: string) =>
      single ?? double?.replace(/\\([$`"\\])/g, "$1") ?? escaped ?? "",
  );
}
