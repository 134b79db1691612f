/** Western letters, arrows and drawings. Most texts have nothing else, and this check needs no character tables. */
const PLAIN = /^[\n\x20-\x7e\u00a1-\u00ac\u00ae-\u024f\u2026\u2190-\u21ff\u2500-\u27bf]*$/;

/**
 * Makes text from others safe for a terminal or a model: no invisible character may act or hide there. Control
 * characters, escapes, writing directions, zero widths, unusual line ends and halves of characters are shown by their
 * numbers. Line feeds stay. The sign that turns a symbol into a coloured picture stays behind such a symbol.
 */
export function visible(text: string): string {
  return escapeWithoutShape(text, (character) =>
    character === "\t" ? "  " : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

/** A name in a sentence: a line break in it must not begin a line. */
export function oneLine(name: string): string {
  return visible(name).replaceAll("\n", "\\n");
}

export function escapeWithoutShape(text: string, escape: (character: string) => string): string {
  return PLAIN.test(text) ? text : text.replace(withoutShape(), escape);
}

/** Compiled on demand: its character classes are long tables that take as long to read as a short command may run. */
function withoutShape(): RegExp {
  return /(?!\n|\u{fe0f})[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u{2800}]|(?<!\p{Extended_Pictographic})\u{fe0f}/gu;
}

/**
 * JSON as every door prints it. A terminal may show it, and others wrote its texts. So invisible characters are
 * escaped, which means the same to every reader of JSON.
 */
export function jsonText(value: unknown): string {
  return escapeWithoutShape(JSON.stringify(value), escaped);
}

/** One escape for each half of a character that needs two. */
function escaped(character: string): string {
  let text = "";
  for (let at = 0; at < character.length; at += 1)
    text += `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`;
  return text;
}

const SHOWN_CHARACTERS = 100;

/** A word as it was given; a very long one is known by its beginning. */
export function shortened(word: string): string {
  return word.length > SHOWN_CHARACTERS ? `${word.slice(0, SHOWN_CHARACTERS)}…` : word;
}

/** The beginning of a text that is too long, without half a character at its end. */
export function cutTo(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

export function quoted(word: string): string {
  return JSON.stringify(shortened(word));
}
