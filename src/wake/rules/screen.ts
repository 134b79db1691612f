/** A terminal's screen as its multiplexer shows it: cells with what makes them faint, row by row. */

export interface Cell {
  readonly character: string;
  /** Shown as less than text, as hints in an empty field are. */
  readonly isFaint: boolean;
  /** Drawn in reverse, as programs do that draw their own cursor. */
  readonly isInverse: boolean;
}

export type Row = readonly Cell[];

const PLAIN = { isFaint: false, isInverse: false };
const ESCAPE = "\u001b";
const SEQUENCE = new RegExp(`${ESCAPE}\\[([0-9;:]*)([A-Za-z])|${ESCAPE}[()][A-Z0-9]|[\\u000e\\u000f]`, "y");

/** From text with colour sequences, which last from row to row. */
export function readScreen(text: string): readonly Row[] {
  let style = PLAIN;
  return text.split("\n").map((line) => {
    const cells: Cell[] = [];
    for (let at = 0; at < line.length; ) {
      SEQUENCE.lastIndex = at;
      const sequence = SEQUENCE.exec(line);
      if (sequence) {
        if (sequence[2] === "m") style = styled(style, sequence[1] ?? "");
        at = SEQUENCE.lastIndex;
        continue;
      }
      const character = String.fromCodePoint(line.codePointAt(at) ?? 0);
      cells.push({ character, ...style });
      at += character.length;
    }
    return cells;
  });
}

export function textOf(row: Row): string {
  return row.map(({ character }) => character).join("");
}

function styled(before: typeof PLAIN, codes: string): typeof PLAIN {
  let style = before;
  const numbers = codes.split(";");
  for (let index = 0; index < numbers.length; index += 1) {
    const code = Number(numbers[index]?.split(":")[0] ?? "");
    if (code === 0) style = PLAIN;
    else if (code === 2) style = { ...style, isFaint: true };
    else if (code === 22) style = { ...style, isFaint: false };
    else if (code === 7) style = { ...style, isInverse: true };
    else if (code === 27) style = { ...style, isInverse: false };
    // A colour names its own numbers, among which 2 and 7 are no styles.
    else if (code === 38 || code === 48 || code === 58) index += numbers[index + 1] === "2" ? 4 : 2;
  }
  return style;
}
