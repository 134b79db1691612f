/**
 * Flags of a program, by a short description of them. `abc` are flags without a value, `o:` takes one, `i?` may have one
 * attached. A long flag is a word of its own: `--all`, `--output:` with a value, `--color?` with one after "=" or none.
 * `#` stands for a number, such as of `-20`.
 */
import { type Argument, literal } from "./words.ts";

export interface GivenFlag {
  /** With its dashes: "-o" or "--output". */
  readonly name: string;
  readonly value: Argument | null;
}

export interface GivenWords {
  readonly flags: readonly GivenFlag[];
  readonly operands: readonly Argument[];
  /** The first word that is none of the described flags, or that may turn into flags; null if all are clear. */
  readonly unclear: string | null;
}

type TakesValue = "no" | "yes" | "attached";
type Described = ReadonlyMap<string, TakesValue>;

const described = new Map<string, Described>();

function describe(description: string): Described {
  const known = described.get(description);
  if (known) return known;
  const flags = new Map<string, TakesValue>();
  for (const [, long, letter, mark] of description.matchAll(/(?:(--[\w-]+)|([^\s:?]))([:?]?)/g)) {
    flags.set(long ?? `-${letter}`, mark === ":" ? "yes" : mark === "?" ? "attached" : "no");
  }
  described.set(description, flags);
  return flags;
}

/** Whether a flag, as it was given, is one of these. */
export function isFlagOf(description: string, { name }: GivenFlag): boolean {
  return describe(description).has(name);
}

interface Reading {
  readonly flags: GivenFlag[];
  readonly operands: Argument[];
  unclear: string | null;
}

/** `stopAtOperand` is for programs that wrap a command: its flags are not theirs. */
export function readFlags(words: readonly Argument[], description: string, stopAtOperand = false): GivenWords {
  const known = describe(description);
  const reading: Reading = { flags: [], operands: [], unclear: null };
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? literal("");
    if (word.isLiteral && word.text === "--") {
      reading.operands.push(...words.slice(index + 1));
      break;
    }
    if (word.mayBeFlags) reading.unclear ??= word.text;
    if (!word.isLiteral || !/^-./s.test(word.text)) {
      reading.operands.push(...(stopAtOperand ? words.slice(index) : [word]));
      if (stopAtOperand) break;
    } else if (readFlag(word.text, words[index + 1] ?? null, known, reading)) {
      index += 1;
    }
  }
  return reading;
}

/** True if the flag took the word after it as its value. */
function readFlag(text: string, next: Argument | null, known: Described, reading: Reading): boolean {
  if (text.startsWith("--")) return readLong(text, next, known, reading);
  if (known.has("-#") && /^-\d+$/.test(text)) return false;
  for (let index = 1; index < text.length; index += 1) {
    const name = `-${text[index]}`;
    const takes = known.get(name);
    if (takes === undefined) {
      reading.unclear ??= text;
      return false;
    }
    const attached = text.slice(index + 1);
    if (takes === "no") {
      reading.flags.push({ name, value: null });
    } else {
      const value = attached !== "" ? literal(attached) : takes === "yes" ? next : null;
      reading.flags.push({ name, value });
      return takes === "yes" && attached === "";
    }
  }
  return false;
}

function readLong(text: string, next: Argument | null, known: Described, reading: Reading): boolean {
  const [, name = text, attached] = /^(--[^=]*)=([^]*)$/.exec(text) ?? [];
  const takes = known.get(name);
  if (takes === undefined) {
    // An abbreviation may stand for any flag.
    reading.unclear ??= text;
    return false;
  }
  const isApart = takes === "yes" && attached === undefined;
  reading.flags.push({ name, value: attached !== undefined ? literal(attached) : isApart ? next : null });
  return isApart;
}
