/**
 * Strict decoding of what a store gives back. A value that is not what was written means a damaged store, and
 * says so with its place; guessing would turn damage into wrong answers.
 */
import { Fault } from "../../core/fault.ts";
import { fromStoredJson } from "./json.ts";

export type Decoder<T> = (value: unknown, place: string) => T;

export function corrupt(place: string, problem: string, cause?: unknown): Fault {
  return new Fault("store_corrupt", `The store holds a row that cannot be read: ${place} ${problem}.`, {
    next: "Stop using this store, keep a copy of it, and restore a backup or start with a new one.",
    retry: false,
    facts: { place },
    cause,
  });
}

export const text: Decoder<string> = (value, place) => {
  if (typeof value !== "string") throw corrupt(place, "is not text");
  return value;
};

export const finite: Decoder<number> = (value, place) => {
  if (typeof value !== "number" || !Number.isFinite(value)) throw corrupt(place, "is not a number");
  return value;
};

export const whole: Decoder<number> = (value, place) => {
  if (!Number.isSafeInteger(value)) throw corrupt(place, "is not a whole number");
  return value as number;
};

export const truth: Decoder<boolean> = (value, place) => {
  if (typeof value !== "boolean") throw corrupt(place, "is neither true nor false");
  return value;
};

/** Truth as both databases store it in a column. */
export const bit: Decoder<boolean> = (value, place) => {
  if (value !== 0 && value !== 1) throw corrupt(place, "is neither 0 nor 1");
  return value === 1;
};

/** An id is text; the brand exists only for the compiler. */
export function idOf<Id extends string>(): Decoder<Id> {
  return text as Decoder<Id>;
}

export function oneOf<Value extends string>(values: readonly Value[]): Decoder<Value> {
  return (value, place) => {
    if (!(values as readonly unknown[]).includes(value)) throw corrupt(place, `is not one of ${values.join(", ")}`);
    return value as Value;
  };
}

export function nullable<T>(inner: Decoder<T>): Decoder<T | null> {
  return (value, place) => (value === null ? null : inner(value, place));
}

/** For a field that may be absent; `shape` then leaves it out. */
export function optional<T>(inner: Decoder<T>): Decoder<T> {
  return (value, place) => (value === undefined ? (undefined as T) : inner(value, place));
}

export function list<T>(inner: Decoder<T>): Decoder<readonly T[]> {
  return (value, place) => {
    if (!Array.isArray(value)) throw corrupt(place, "is not a list");
    return value.map((item, index) => inner(item, `${place}[${index}]`));
  };
}

/** An object with exactly these fields. */
export function shape<T extends object>(fields: { readonly [Key in keyof T]-?: Decoder<T[Key]> }): Decoder<T> {
  const decoders = fields as Readonly<Record<string, Decoder<unknown>>>;
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

/** For documents that come again and again: the same text means the same value, and values are never altered. */
export function remembering<T>(decode: Decoder<T>): Decoder<T> {
  const known = new Map<unknown, T>();
  return (value, place) => {
    const before = known.get(value);
    if (before !== undefined) return before;
    const decoded = decode(value, place);
    if (known.size >= REMEMBERED.texts) known.clear();
    if (typeof value === "string" && value.length <= REMEMBERED.characters) known.set(value, decoded);
    return decoded;
  };
}

/** A column that holds JSON text. */
export function json<T>(inner: Decoder<T>): Decoder<T> {
  return (value, place) => {
    let parsed: unknown;
    try {
      parsed = fromStoredJson(text(value, place));
    } catch (error) {
      if (error instanceof SyntaxError) throw corrupt(place, "is not JSON", error);
      throw error;
    }
    return inner(parsed, place);
  };
}
