/**
 * Whether keys may be typed into a harness's terminal: it is idle, shows no dialog, and its composer is empty. Enter
 * answers a dialog with its first choice and sends an unfinished draft, so in doubt no keys are typed.
 *
 * The composer is empty if the cursor is in its first row, at its left margin, with only faint text after it. The text
 * alone does not prove that, because an empty field shows hints. Nor does the cursor alone, because a person can move
 * it to the beginning of a draft.
 */
import { type Row, textOf } from "./screen.ts";

/** What a harness's terminal looks like. */
export interface Composer {
  /** The column of the first character. */
  readonly margin: number;
  /** What is before that column in the first row. */
  readonly prompt: RegExp;
  /** The hint of an empty field, where it is not faint. */
  readonly hint?: RegExp;
  /** The rows above and below an empty field. */
  readonly above?: RegExp;
  readonly below: RegExp;
  readonly idleTitle: RegExp;
  readonly busyTitle?: RegExp;
  readonly dialogTitle?: RegExp;
  /** Shown somewhere on the screen in the middle of a turn. */
  readonly busySign?: RegExp;
}

export interface TerminalSight {
  readonly title: string;
  readonly cursor: { readonly x: number; readonly y: number };
  readonly rows: readonly Row[];
  /** A person has scrolled back, and keys would go to that view. */
  readonly isScrolled: boolean;
}

/** The first of several numbered choices, marked as the one that Enter takes. */
const CHOICE = /^[\s│┃]*[❯›●>]\s*1\.\s/;

/** A title that the harness did not set, such as the machine's name. A harness's state begins with a sign. */
function isStateless(title: string): boolean {
  return /^([\p{L}\p{N}._~/-]|$)/u.test(title);
}

/** Null if keys would do no harm. `toldIdle`: the newest news of its hooks and harness says that it is idle. */
export function obstacleIn(
  { title, cursor, rows, isScrolled }: TerminalSight,
  composer: Composer,
  toldIdle: boolean,
): "busy" | "draft" | "dialog" | null {
  const texts = rows.map(textOf);
  const isDialog = composer.dialogTitle?.test(title) || texts.some((text) => CHOICE.test(text));
  if (isDialog) return "dialog";
  const isBusy = composer.busyTitle?.test(title) || texts.some((text) => composer.busySign?.test(text));
  // A title without a state is fine if that news says idle; a title with a state must say idle itself.
  const isIdle = composer.idleTitle.test(title) || (toldIdle && isStateless(title));
  if (isScrolled || isBusy || !isIdle) return "busy";
  return isEmpty(rows, cursor, composer) ? null : "draft";
}

function isEmpty(rows: readonly Row[], cursor: TerminalSight["cursor"], composer: Composer): boolean {
  return cursor.x === composer.margin && isField(rows, cursor.y, cursor, composer);
}

/**
 * Whether the composer holds this text and nothing else, with the cursor at its end. A narrow terminal breaks the text
 * into rows, where blanks are lost, so blanks are not compared.
 */
export function holdsExactly({ rows, cursor }: TerminalSight, composer: Composer, text: string): boolean {
  const wanted = withoutBlanks(text);
  for (let first = cursor.y; first >= 0 && cursor.y - first <= wanted.length; first -= 1) {
    const cells = rows
      .slice(first, cursor.y + 1)
      .map((row, index) => row.slice(composer.margin, first + index === cursor.y ? cursor.x : undefined));
    const isThere = withoutBlanks(cells.map(textOf).join("")) === wanted;
    if (isThere && isField(rows, first, cursor, composer)) return true;
  }
  return false;
}

/** Whether the composer begins in that row, and ends at the cursor. */
function isField(rows: readonly Row[], first: number, cursor: TerminalSight["cursor"], composer: Composer): boolean {
  const { above, below } = composer;
  const [before, after] = [rows[first - 1] ?? [], rows[cursor.y + 1] ?? []].map((row) => textOf(row).trimEnd());
  return (
    isFirstRow(rows[first] ?? [], composer) &&
    isHintOnly((rows[cursor.y] ?? []).slice(cursor.x), composer) &&
    (above?.test(before ?? "") ?? true) &&
    below.test(after ?? "")
  );
}

function withoutBlanks(text: string): string {
  return text.replaceAll(/\s/g, "");
}

/** Whether a composer begins in this row. Blanks at the end of a row may have been cut off. */
function isFirstRow(row: Row, { margin, prompt }: Composer): boolean {
  return prompt.test(textOf(row.slice(0, margin)).padEnd(margin));
}

/** If the cursor covers the first letter of a hint, the rest of the hint still shows that it is one. */
function isHintOnly(cells: Row, { hint }: Composer): boolean {
  const text = textOf(cells).trim();
  if (text === "" || hint?.test(text)) return true;
  const visible = cells.filter(({ character }) => character.trim() !== "");
  const [first, ...rest] = visible;
  const isOnCursor = first === cells[0] && first?.isInverse === true && rest.length > 0;
  return (first?.isFaint === true || isOnCursor) && rest.every(({ isFaint }) => isFaint);
}
