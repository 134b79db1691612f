/**
 * How many columns a terminal gives to a text. In doubt a character counts as the wider: a line that ends early is
 * only ragged, one that runs over the edge goes on below without its margin.
 */

/**
 * Western texts, accents, arrows, bars, and the space at which no line breaks: one column for each unit, without a look
 * at each. To compile the expressions below takes longer than to wrap a page.
 */
const NARROW = /^[\x20-\x7e\u00a0-\u02ff\u2010-\u2027\u2190-\u22ff\u2500-\u25fc]*$/;

/** Marks that stand on the letter before them, and the sign that makes a picture of it. */
const ON_THE_LAST =
  /^(?:[\u{0300}-\u{036f}]|[\u{0483}-\u{0489}]|[\u{0591}-\u{05bd}]|[\u{064b}-\u{065f}]|[\u{1ab0}-\u{1abd}]|[\u{1dc0}-\u{1df5}]|[\u{20d0}-\u{20f0}]|[\u{fe20}-\u{fe2f}]|[\u{3099}-\u{309a}]|[\u{0941}-\u{0948}]|[\u{0e34}-\u{0e3a}]|[\u{0e47}-\u{0e4e}]|\u{0670}|\u{093c}|\u{094d}|\u{0e31}|\u{fe0f})$/u;

/** East Asian scripts and the pictures that are drawn as wide as their characters. */
const WIDE =
  /^[\u1100-\u115f\u231a\u231b\u2329\u232a\u23e9-\u23ec\u23f0\u23f3\u25fd\u25fe\u2614\u2615\u2630-\u2637\u2648-\u2653\u267f\u268a-\u268f\u2693\u26a1\u26aa\u26ab\u26bd\u26be\u26c4\u26c5\u26ce\u26d4\u26ea\u26f2\u26f3\u26f5\u26fa\u26fd\u2705\u270a\u270b\u2728\u274c\u274e\u2753-\u2755\u2757\u2795-\u2797\u27b0\u27bf\u2b1b\u2b1c\u2b50\u2b55\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{1b2ff}\u{1d300}-\u{1d376}\u{1f000}-\u{1faff}\u{20000}-\u{3fffd}]$/u;

export function widthOf(text: string): number {
  if (NARROW.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += columnsOf(character);
  return width;
}

/** The text, and blanks behind it up to that width. */
export function padded(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - widthOf(text)));
}

/** At most so many columns. What does not fit is seen to be missing: half a number is worse than none. */
export function fitted(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = "";
  let used = 0;
  for (const character of text) {
    used += columnsOf(character);
    if (used > width - 1) break;
    kept += character;
  }
  return `${kept}…`;
}

/** The text in pieces that are no wider than that. A character stays in one piece with the marks on it. */
export function piecesOf(text: string, width: number): readonly string[] {
  if (widthOf(text) <= width) return [text];
  const pieces: string[] = [];
  let piece = "";
  let used = 0;
  for (const character of text) {
    const columns = columnsOf(character);
    if (used + columns > width && !ON_THE_LAST.test(character)) {
      pieces.push(piece);
      [piece, used] = ["", 0];
    }
    piece += character;
    used += columns;
  }
  return [...pieces, piece];
}

function columnsOf(character: string): number {
  // A sign made a picture is a column wider than the sign.
  if (ON_THE_LAST.test(character)) return character === "\ufe0f" ? 1 : 0;
  return WIDE.test(character) ? 2 : 1;
}
