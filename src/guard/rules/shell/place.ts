/** Where a command of the line runs, as far as the text tells. */
import type { ShellFinding } from "./finding.ts";
import { type Argument, literal } from "./words.ts";

export interface ShellPlace {
  /**
   * The directories that it may be, from where the line starts. There are two after `cd a;`, because the cd may fail.
   * Null if the text does not tell.
   */
  readonly directories: readonly string[] | null;
}

/** What surrounds a command. A program that runs another one judges that one with it. */
export interface Around {
  readonly place: ShellPlace;
  /** Whether its standard output goes into a pipe or to a file that the line names. */
  readonly isRedirected: boolean;
  readonly command: (words: readonly Argument[], around: Around) => readonly ShellFinding[];
  /** Judges the text of a script. */
  readonly script: (text: string, place: ShellPlace) => readonly ShellFinding[];
}

export const START: ShellPlace = { directories: ["."] };

/** More are as good as unknown. */
const MOST_DIRECTORIES = 4;

function join(directory: string, path: string): string {
  if (path.startsWith("/") || directory === ".") return path;
  return path === "." ? directory : `${directory.replace(/\/$/, "")}/${path}`;
}

/** The place after a cd that worked. */
export function within({ directories }: ShellPlace, path: Argument | null): ShellPlace {
  if (!path?.isLiteral || path.text === "" || path.text === "-") return { directories: null };
  if (path.text.startsWith("/")) return { directories: [path.text] };
  return { directories: directories && directories.map((directory) => join(directory, path.text)) };
}

export function either(one: ShellPlace, other: ShellPlace): ShellPlace {
  if (one.directories === null || other.directories === null) return { directories: null };
  const all = [...new Set([...one.directories, ...other.directories])];
  return { directories: all.length > MOST_DIRECTORIES ? null : all };
}

/** The paths that these words mean; null if one is not literal or is relative to a place that is not known. */
export function targetsAt({ directories }: ShellPlace, paths: readonly Argument[]): readonly string[] | null {
  const targets = paths.map(({ text, isLiteral }) => {
    if (!isLiteral || text === "") return null;
    if (text.startsWith("/")) return [text];
    return directories && directories.map((directory) => join(directory, text));
  });
  return targets.includes(null) ? null : targets.flatMap((each) => each ?? []);
}

/** Writing there changes no file. */
export function isSink(path: Argument): boolean {
  return path.isLiteral && /^\/dev\/(null|stdout|stderr|tty|fd\/\d+)$/.test(path.text);
}

/** The directory in which a path lies. */
export function parentOf(path: Argument): Argument {
  if (!path.isLiteral) return path;
  const parent = path.text.replace(/\/*[^/]*\/*$/, "");
  return literal(parent === "" ? (path.text.startsWith("/") ? "/" : ".") : parent);
}
