/**
 * What a terminal sends, as keys. A terminal may send many keys in one piece, and one key in several pieces, so the
 * reader keeps what is not whole yet. What is pasted comes between two marks and is one key, however long it is.
 *
 *   typing ──mark of a paste──▶ pasting ──end mark, or nothing more for a while──▶ typing
 */

export type KeyName =
  | "enter"
  | "newline"
  | "backspace"
  | "delete"
  | "left"
  | "right"
  | "up"
  | "down"
  | "home"
  | "end"
  | "word-left"
  | "word-right"
  | "page-up"
  | "page-down"
  | "tab"
  | "escape"
  | "erase-line"
  | "erase-word"
  | "erase-rest"
  | "redraw"
  | "interrupt"
  | "end-of-input"
  | "suspend";

/** `columns` is no key: the terminal tells how wide it is, because it was asked. */
export type Key =
  | { readonly name: KeyName }
  | { readonly text: string }
  | { readonly pasted: string }
  | { readonly columns: number };

const ESCAPE = "\u001b";
const PASTE_BEGINS = `${ESCAPE}[200~`;
const PASTE_ENDS = `${ESCAPE}[201~`;

/** An escape character is a key of its own if no more comes within this time. */
const ESCAPE_MS = 50;
const PASTE_MS = 1000;

const CONTROLS: Readonly<Record<string, KeyName>> = {
  "\r": "enter",
  "\n": "newline",
  "\u007f": "backspace",
  "\b": "backspace",
  "\t": "tab",
  "\u0001": "home",
  "\u0002": "left",
  "\u0003": "interrupt",
  "\u0004": "end-of-input",
  "\u0005": "end",
  "\u0006": "right",
  "\u000b": "erase-rest",
  "\u000c": "redraw",
  "\u000e": "down",
  "\u0010": "up",
  "\u0015": "erase-line",
  "\u0017": "erase-word",
  "\u001a": "suspend",
};

/** Without the escape character that each begins with. */
const SEQUENCES: Readonly<Record<string, KeyName>> = {
  "[A": "up",
  "[B": "down",
  "[C": "right",
  "[D": "left",
  "[H": "home",
  "[F": "end",
  OA: "up",
  OB: "down",
  OC: "right",
  OD: "left",
  OH: "home",
  OF: "end",
  "[1~": "home",
  "[3~": "delete",
  "[4~": "end",
  "[5~": "page-up",
  "[6~": "page-down",
  "[7~": "home",
  "[8~": "end",
  "[1;5C": "word-right",
  "[1;5D": "word-left",
  "[1;3C": "word-right",
  "[1;3D": "word-left",
  f: "word-right",
  b: "word-left",
  "\u007f": "erase-word",
  // Alt-Enter, and Shift-Enter where a terminal tells it apart.
  "\r": "newline",
  "\n": "newline",
  "[13;2u": "newline",
  "[13;3u": "newline",
  "[27;2;13~": "newline",
  "[27;3;13~": "newline",
};

const WHOLE_SEQUENCE = /^(?:\[[0-?]*[ -/]*[@-~]|O[@-~]|[^[O])/u;
const PART_OF_SEQUENCE = /^(?:\[[0-?]*[ -/]*|O)?$/;
const CURSOR_REPORT = /^\[\d+;(\d+)R$/;
const PLAIN_TEXT = /^[^\p{Cc}]+/u;

export class KeyReader {
  #rest = "";
  #isPasting = false;
  #pasted = "";

  /**
   * How long to wait for more before giving up; null if nothing is kept. The beginning of a sequence is an escape key,
   * unless more comes at once. A paste whose end mark got lost would keep every key for itself.
   */
  get patienceMs(): number | null {
    if (this.#isPasting) return PASTE_MS;
    return this.#rest === "" ? null : ESCAPE_MS;
  }

  push(chunk: string): readonly Key[] {
    this.#rest += chunk;
    const keys: Key[] = [];
    for (;;) {
      const key = this.#isPasting ? this.#nextOfPaste() : this.#nextTyped();
      if (key === null) return keys;
      if (key !== "nothing") keys.push(key);
    }
  }

  /** No more came: the paste has ended, or the escape character was the key itself. */
  giveUp(): readonly Key[] {
    if (this.#isPasting) return [this.#endPaste(this.#rest.length)];
    if (this.#rest === "") return [];
    const rest = this.#rest.slice(1);
    this.#rest = "";
    return [{ name: "escape" }, ...this.push(rest)];
  }

  #nextOfPaste(): Key | null {
    const end = this.#rest.indexOf(PASTE_ENDS);
    if (end === -1) {
      // The end mark may have come in part.
      const kept = Math.min(this.#rest.length, PASTE_ENDS.length - 1);
      this.#pasted += this.#take(this.#rest.length - kept);
      return null;
    }
    const key = this.#endPaste(end);
    this.#take(PASTE_ENDS.length);
    return key;
  }

  #endPaste(end: number): Key {
    const pasted = this.#pasted + this.#take(end);
    this.#isPasting = false;
    this.#pasted = "";
    return { pasted: harmless(pasted) };
  }

  #nextTyped(): Key | "nothing" | null {
    const [first = ""] = this.#rest;
    if (first === "") return null;
    if (first === ESCAPE) return this.#nextSequence();
    const [text] = PLAIN_TEXT.exec(this.#rest) ?? [];
    if (text !== undefined) return { text: this.#take(text.length) };
    const name = CONTROLS[this.#take(1)];
    return name === undefined ? "nothing" : { name };
  }

  #nextSequence(): Key | "nothing" | null {
    const rest = this.#rest.slice(1);
    if (PART_OF_SEQUENCE.test(rest)) return null;
    const [sequence] = WHOLE_SEQUENCE.exec(rest) ?? [""];
    // Two escapes: the first one was a key.
    if (sequence === ESCAPE || sequence === "") {
      this.#take(1);
      return { name: "escape" };
    }
    this.#take(1 + sequence.length);
    if (ESCAPE + sequence === PASTE_BEGINS) {
      this.#isPasting = true;
      return "nothing";
    }
    const [, columns] = CURSOR_REPORT.exec(sequence) ?? [];
    if (columns !== undefined) return { columns: Number(columns) };
    const name = Object.hasOwn(SEQUENCES, sequence) ? SEQUENCES[sequence] : undefined;
    return name === undefined ? "nothing" : { name };
  }

  #take(length: number): string {
    const taken = this.#rest.slice(0, length);
    this.#rest = this.#rest.slice(length);
    return taken;
  }
}

/** Pasted control characters are text that shows their numbers. Line ends become line feeds, tabs become blanks. */
function harmless(text: string): string {
  return text
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll("\t", "  ")
    .replaceAll(/(?!\n)\p{Cc}/gu, (control) => `\\u{${(control.codePointAt(0) ?? 0).toString(16)}}`);
}
