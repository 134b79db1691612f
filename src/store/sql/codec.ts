/**
 * How values are stored and read back. A value that the store would not have written means a damaged store, and the fault
 * names its place; guessing would turn damage into wrong answers.
 */
import { Fault } from "../../core/fault.ts";
import { withCamelKeys, withSnakeKeys } from "../../core/letter-case.ts";
import type { SqlValue } from "./statement.ts";

/** Reads a stored value. `write` is the way back where a column does not hold the value as it is. */
export interface Codec<T> {
  (value: unknown, place: string): T;
  write?(this: void, value: T): SqlValue;
}

export function corrupt(place: string, problem: string, cause?: unknown): Fault {
  return new Fault("store_corrupt", `The store holds a row that cannot be read: ${place} ${problem}.`, {
    next: "Stop using this store and restore a backup, or name another store with TT_DATA_DIR or TT_STORE, then run tt install.",
    retry: false,
    facts: { place },
    cause,
  });
}

export const text: Codec<string> = (value, place) => {
  if (typeof value !== "string") throw corrupt(place, "is not text");
  return value;
};

export const finite: Codec<number> = (value, place) => {
  if (typeof value !== "number" || !Number.isFinite(value)) throw corrupt(place, "is not a number");
  return value;
};

export const whole: Codec<number> = (value, place) => {
  if (!Number.isSafeInteger(value)) throw corrupt(place, "is not a whole number");
  return value as number;
};

export const truth: Codec<boolean> = (value, place) => {
  if (typeof value !== "boolean") throw corrupt(place, "is neither true nor false");
  return value;
};

/** A boolean in a column. */
export const bit: Codec<boolean> = Object.assign(
  (value: unknown, place: string) => {
    if (value !== 0 && value !== 1) throw corrupt(place, "is neither 0 nor 1");
    return value === 1;
  },
  { write: (value: boolean) => (value ? 1 : 0) },
);

/** An id is text; the brand exists only for the compiler. */
export function idOf<Id extends string>(): Codec<Id> {
  return text as Codec<Id>;
}

export function oneOf<const Value extends string>(values: readonly Value[]): Codec<Value> {
  return (value, place) => {
    if (!(values as readonly unknown[]).includes(value)) throw corrupt(place, `is not one of ${values.join(", ")}`);
    return value as Value;
  };
}

export function nullable<T>(inner: Codec<T>): Codec<T | null> {
  const read = (value: unknown, place: string) => (value === null ? null : inner(value, place));
  const { write } = inner;
  return write ? Object.assign(read, { write: (value: T | null) => (value === null ? null : write(value)) }) : read;
}

/** For a field that may be absent; `shape` then leaves it out. */
export function optional<T>(inner: Codec<T>): Codec<T> {
  return (value, place) => (value === undefined ? (undefined as T) : inner(value, place));
}

export function list<T>(inner: Codec<T>): Codec<readonly T[]> {
  return (value, place) => {
    if (!Array.isArray(value)) throw corrupt(place, "is not a list");
    return value.map((item, index) => inner(item, `${place}[${index}]`));
  };
}

/** An object with exactly these fields. */
export function shape<T extends object>(fields: { readonly [Key in keyof T]-?: Codec<T[Key]> }): Codec<T> {
  const decoders = fields as Readonly<Record<string, Codec<unknown>>>;
  return (value, place) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) throw corrupt(place, "is not an object");
    const unknown = Object.keys(value).find((key) => !Object.hasOwn(decoders, key));
    if (unknown !== undefined) throw corrupt(`${place}.${unknown}`, "is not a known field");
    const decoded: Record<string, unknown> = {};
    for (const key in decoders) {
      const item = decoders[key]?.((value as Record<string, unknown>)[key], `${place}.${key}`);
      if (item !== undefined) decoded[key] = item;
    }
    return decoded as T;
  };
}

const REMEMBERED = { texts: 500, characters: 1000 } as const;

/** JSON that is read again and again: the same text is the same value, and values are immutable. */
export function rememberedJson<T extends object>(inner: Codec<T>): Codec<T> {
  const codec = json(inner);
  const values = new Map<unknown, T>();
  const texts = new WeakMap<T, SqlValue>();
  const read = (value: unknown, place: string): T => {
    const known = values.get(value);
    if (known !== undefined) return known;
    const decoded = codec(value, place);
    if (values.size >= REMEMBERED.texts) values.clear();
    if (typeof value !== "string" || value.length > REMEMBERED.characters) return decoded;
    values.set(value, decoded);
    texts.set(decoded, value);
    return decoded;
  };
  const write = (value: T): SqlValue => {
    const known = texts.get(value) ?? toStoredJson(value);
    texts.set(value, known);
    return known;
  };
  return Object.assign(read, { write });
}

/**
 * A column that holds JSON text, with the names of the wire. Free text that people and agents write (a note's body, a
 * reason) is stored as JSON text too: PostgreSQL's text type has no NUL, and neither database keeps half a surrogate
 * pair, but JSON escapes both.
 */
export function json<T>(inner: Codec<T>): Codec<T> {
  const read = (value: unknown, place: string): T => {
    let parsed: unknown;
    try {
      parsed = fromStoredJson(text(value, place));
    } catch (error) {
      if (error instanceof SyntaxError) throw corrupt(place, "is not JSON", error);
      throw error;
    }
    return inner(parsed, place);
  };
  return Object.assign(read, { write: toStoredJson });
}

export function toStoredJson(value: unknown): string {
  return JSON.stringify(withSnakeKeys(value));
}

/** Throws a SyntaxError when the text is not JSON. */
export function fromStoredJson(stored: string): unknown {
  return withCamelKeys(JSON.parse(stored));
}
