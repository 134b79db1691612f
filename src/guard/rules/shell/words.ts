/** The words of a command as the program will get them, as far as the text alone tells. */
import type { DoubleQuotedChild, Word, WordPart } from "unbash";

export interface Argument {
  /** The word as the program gets it if it is literal, else as it was typed. */
  readonly text: string;
  readonly isLiteral: boolean;
  /** Whether it may turn into a flag, or into several words. Never for a literal. */
  readonly mayBeFlags: boolean;
}

/** Variables whose value the line itself has set. */
export type KnownVariables = ReadonlyMap<string, string>;

export function literal(text: string): Argument {
  return { text, isLiteral: true, mayBeFlags: false };
}

/** A path or other word that is not known, and no flag. */
export function someWord(text: string): Argument {
  return { text, isLiteral: false, mayBeFlags: false };
}

/** One word or several that are not known, such as those that xargs reads. */
export function someWords(text: string): Argument {
  return { text, isLiteral: false, mayBeFlags: true };
}

/**
 * A piece of a word. `path`: not known, but one word that is no flag, such as a quoted variable or a pattern of file
 * names. A file whose name is a flag is sabotage, not an accident. `anything`: words, flags or nothing.
 */
type Piece = { readonly literal: string } | { readonly is: "path" | "anything" };

const ANYTHING: Piece = { is: "anything" };
const PATH: Piece = { is: "path" };

export function argumentOf(word: Word, variables: KnownVariables): Argument {
  const { text } = word;
  const pieces = word.parts?.map((part) => pieceOf(part, variables)) ?? [{ literal: word.value }];
  const known = pieces.map((piece) => ("literal" in piece ? piece.literal : null));
  const isLiteral = !known.includes(null) && !hasTilde(text);
  if (isLiteral) return literal(known.join(""));
  const start = known.find((piece) => piece !== "") ?? "";
  const mayBeFlags = start.startsWith("-") || pieces.some((piece) => "is" in piece && piece.is === "anything");
  return { text, isLiteral, mayBeFlags };
}

/** Bash also expands a tilde after "=" and ":" in a word that looks like an assignment. */
function hasTilde(text: string): boolean {
  return /^~|[=:]~/.test(text);
}

function pieceOf(part: WordPart, variables: KnownVariables): Piece {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return { literal: part.value };
    case "DoubleQuoted":
      return quotedPiece(part.parts, variables);
    case "SimpleExpansion":
    case "ParameterExpansion": {
      if (isNumber(part.text)) return PATH;
      const value = valueOf(part, variables);
      // The shell would split it or match it with file names.
      return value === undefined || /[\s*?[\]{}~\\]/.test(value) || value === "" ? ANYTHING : { literal: value };
    }
    case "Glob":
    case "ArithmeticExpansion":
    case "ProcessSubstitution":
      return PATH;
    case "LocaleString":
    case "CommandExpansion":
    case "ExtendedGlob":
    case "BraceExpansion":
      return ANYTHING;
  }
}

function quotedPiece(parts: readonly DoubleQuotedChild[], variables: KnownVariables): Piece {
  const pieces = parts.map((part): Piece => {
    if (part.type === "Literal") return { literal: part.value };
    // Several words, in spite of the quotes.
    if (/^\$\{?@|\[@\]/.test(part.text)) return ANYTHING;
    const value = part.type.endsWith("Expansion") ? valueOf(part, variables) : undefined;
    return value === undefined ? PATH : { literal: value };
  });
  const known = pieces.map((piece) => ("literal" in piece ? piece.literal : null));
  if (!known.includes(null)) return { literal: known.join("") };
  // "-$x" is a flag that is not known.
  return pieces.includes(ANYTHING) || known.find((piece) => piece !== "")?.startsWith("-") ? ANYTHING : PATH;
}

function isNumber(text: string): boolean {
  return /^\$(?:[?#$!]|\{[?#$!]\}|\{#\w+\})$/.test(text);
}

/** The value of a plain `$name` or `${name}`. */
function valueOf({ text }: { readonly text: string }, variables: KnownVariables): string | undefined {
  const name = /^\$(?:(\w+)|\{(\w+)\})$/.exec(text);
  return name ? variables.get(name[1] ?? name[2] ?? "") : undefined;
}
