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
const BETWEEN_WORDS = /[\s;|&()<>"'`=,:]+/;
const NOT_LITERAL = /[*?[{$\\]/;

export function mentionedPaths(command: string, home: string | null): readonly MentionedPath[] {
  const words = new Set(
    command
      .slice(0, 100_000)
      .split(BETWEEN_WORDS)
      .slice(0, MOST * 10),
  );
  const found = [...words].flatMap((word) => {
    const whole = home === null ? word : word.replace(/^(?:~|\$HOME|\$\{HOME\})(?=\/|$)/, home);
    const end = whole.search(NOT_LITERAL);
    const path = (end < 0 ? whole : whole.slice(0, end)).replace(/(?<=.)\/+$/, "");
    return path === "" || path.startsWith("-") ? [] : [{ path, isCut: end >= 0 }];
  });
  return found.slice(0, MOST);
}
