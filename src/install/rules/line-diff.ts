/**
 * The lines in which two texts differ, by Myers' algorithm: its cost grows with the differences, not with the texts. What a
 * replaced line begins and ends with as the new one does is left out, because some files are one long line. This hides no
 * secrets: the values of a user are to be hidden before (hideValues).
 */

export type DiffLine = { readonly sign: "@" | "-" | "+"; readonly text: string };

interface Edit {
  readonly sign: "-" | "+";
  readonly text: string;
  /** Before which line of the old text. */
  readonly at: number;
}

/** A null text is no file. */
export function lineDiff(before: string | null, after: string | null): readonly DiffLine[] {
  const edits = editsBetween(linesOf(before), linesOf(after));
  return hunksIn(edits).flatMap((hunk) => [
    ...(before === null || after === null ? [] : [{ sign: "@" as const, text: `line ${(hunk[0]?.at ?? 0) + 1}` }]),
    ...withoutCommon(hunk),
  ]);
}

function linesOf(text: string | null): readonly string[] {
  if (text === null || text === "") return [];
  return text.replace(/\r?\n$/, "").split(/\r?\n/);
}

function editsBetween(before: readonly string[], after: readonly string[]): readonly Edit[] {
  const trace: ReadonlyMap<number, number>[] = [];
  const reached = new Map([[1, 0]]);
  for (let cost = 0; ; cost += 1) {
    trace.push(new Map(reached));
    for (let diagonal = -cost; diagonal <= cost; diagonal += 2) {
      let x = startOn(reached, diagonal, cost);
      while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal]) x += 1;
      reached.set(diagonal, x);
      if (x >= before.length && x - diagonal >= after.length) return walkBack(trace, before, after);
    }
  }
}

/** How far a path of one edit more begins on a diagonal. */
function startOn(reached: ReadonlyMap<number, number>, diagonal: number, cost: number): number {
  const [left, right] = [reached.get(diagonal - 1) ?? -1, reached.get(diagonal + 1) ?? -1];
  return goesDown(diagonal, cost, left, right) ? right : left + 1;
}

function goesDown(diagonal: number, cost: number, left: number, right: number): boolean {
  return diagonal === -cost || (diagonal !== cost && left < right);
}

function walkBack(
  trace: readonly ReadonlyMap<number, number>[],
  before: readonly string[],
  after: readonly string[],
): readonly Edit[] {
  const edits: Edit[] = [];
  let [x, y] = [before.length, after.length];
  for (let cost = trace.length - 1; cost > 0; cost -= 1) {
    const reached = trace[cost] ?? new Map<number, number>();
    const diagonal = x - y;
    const [left, right] = [reached.get(diagonal - 1) ?? -1, reached.get(diagonal + 1) ?? -1];
    const down = goesDown(diagonal, cost, left, right);
    x = down ? right : left;
    y = x - (down ? diagonal + 1 : diagonal - 1);
    edits.push(down ? { sign: "+", text: after[y] ?? "", at: x } : { sign: "-", text: before[x] ?? "", at: x });
  }
  return edits.toReversed();
}

/** Edits that touch each other, removals first. */
function hunksIn(edits: readonly Edit[]): readonly (readonly Edit[])[] {
  const hunks: Edit[][] = [];
  let next = -1;
  for (const edit of edits) {
    if (edit.at === next) hunks.at(-1)?.push(edit);
    else hunks.push([edit]);
    next = edit.at + (edit.sign === "-" ? 1 : 0);
  }
  return hunks.map((hunk) => hunk.toSorted((one, other) => Number(one.sign === "+") - Number(other.sign === "+")));
}

const CUT = "…";

/** Where lines are replaced, the first of both and the last of both may have much in common. */
function withoutCommon(hunk: readonly Edit[]): readonly DiffLine[] {
  const removed = hunk.filter(({ sign }) => sign === "-").map(({ text }) => text);
  const added = hunk.filter(({ sign }) => sign === "+").map(({ text }) => text);
  if (removed.length === 0 || added.length === 0) return hunk.map(({ sign, text }) => ({ sign, text }));
  const [old, young] = [removed.join("\n"), added.join("\n")];
  const head = commonLength(old, young, (text, index) => text[index]);
  const rest = Math.min(old.length, young.length) - head;
  const tail = Math.min(
    rest,
    commonLength(old, young, (text, index) => text[text.length - 1 - index]),
  );
  const cut = (text: string) => {
    const [begin, middle, end] = [
      text.slice(0, head),
      text.slice(head, text.length - tail),
      text.slice(text.length - tail),
    ];
    return `${shortened(begin)}${middle}${shortened(end)}`.split("\n");
  };
  return [
    ...cut(old).map((text) => ({ sign: "-" as const, text })),
    ...cut(young).map((text) => ({ sign: "+" as const, text })),
  ];
}

/** Blanks and brackets tell nothing, and show where one is. */
function shortened(common: string): string {
  return common.replace(/[^\s{}[\],]+(?:[^\n]*[^\s{}[\],]+)?/g, CUT);
}

function commonLength(one: string, other: string, at: (text: string, index: number) => string | undefined): number {
  const most = Math.min(one.length, other.length);
  let length = 0;
  while (length < most && at(one, length) === at(other, length)) length += 1;
  return length;
}
