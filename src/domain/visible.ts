/**
 * Others wrote this text, and somebody's terminal or model is about to get it: what has no shape of its own must
 * not act or hide there. Control characters, escapes, directions of writing, zero widths, strange line ends and
 * halves of characters are shown by their numbers; line feeds stay. So does the sign that makes a symbol a coloured
 * picture, but only behind such a symbol.
 */
const WITHOUT_SHAPE =
  /(?!\n|\u{fe0f})[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u{2800}]|(?<!\p{Extended_Pictographic})\u{fe0f}/gu;

export function visible(text: string): string {
  return text.replace(WITHOUT_SHAPE, (character) =>
    character === "\t" ? "  " : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
