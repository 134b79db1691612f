/** Western letters, arrows and drawings: most texts have nothing else, and to know that takes no table of characters. */
const PLAIN = /^[\n\x20-\x7e\u00a1-\u00ac\u00ae-\u024f\u2026\u2190-\u21ff\u2500-\u27bf]*$/;

/**
 * Others wrote this text, and somebody's terminal or model is about to get it: what has no shape of its own must
 * not act or hide there. Control characters, escapes, directions of writing, zero widths, strange line ends and
 * halves of characters are shown by their numbers; line feeds stay. So does the sign that makes a symbol a coloured
 * picture, but only behind such a symbol.
 */
export function visible(text: string): string {
  return escapeWithoutShape(text, (character) =>
    character === "\t" ? "  " : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

export function escapeWithoutShape(text: string, escape: (character: string) => string): string {
  return PLAIN.test(text) ? text : text.replace(withoutShape(), escape);
}

/** Made when it is needed: the classes in it are long tables, and to read them takes as long as a short command may. */
function withoutShape(): RegExp {
  return /(?!\n|\u{fe0f})[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u{2800}]|(?<!\p{Extended_Pictographic})\u{fe0f}/gu;
}
