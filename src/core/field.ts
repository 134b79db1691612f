/** One input of an operation: its shape for readers, and how a value that came from outside becomes a value of ours. */
import { type AgentId, asAgentId, type EventId, type IdKind, isId, type NoteId } from "./ids.ts";
import { LIMITS } from "./limits.ts";
import { invalidInput, type Refusal } from "./refusal.ts";

export type JsonSchema = Readonly<Record<string, unknown>>;

export interface Field<Value, Required extends boolean = boolean> {
  readonly schema: JsonSchema;
  readonly about: string;
  readonly required: Required;
  /** Other names under which callers may give it. */
  readonly aliases?: readonly string[];
  /** Accepted, but not in the schema that clients are shown: each of them would pay for it. */
  readonly unlisted?: true;
  /** It is the id of such a thing. The beginning of the id will do: the door looks for the whole. */
  readonly idOf?: IdKind;
  /** `name` is the field's name on the wire. If this accepts `undefined`, a rule judges a value that is missing. */
  decode(name: string, raw: unknown, required?: boolean): Value | Refusal<"invalid_input">;
}

export type Fields = Readonly<Record<string, Field<unknown>>>;

type RequiredKeys<F extends Fields> = { [K in keyof F]: F[K] extends Field<unknown, true> ? K : never }[keyof F];
type ValueOf<F> = F extends Field<infer Value> ? Value : never;
type Flat<T> = { [K in keyof T]: T[K] };

/** What `run` is given: every required field, and those of the others that the caller gave. */
export type InputOf<F extends Fields> = Flat<
  { readonly [K in RequiredKeys<F>]: ValueOf<F[K]> } & {
    readonly [K in Exclude<keyof F, RequiredKeys<F>>]?: ValueOf<F[K]>;
  }
>;

/** The same as callers may give it: nothing is checked yet. */
export type RawInput = Readonly<Record<string, unknown>>;

type Decoder<Value> = Field<Value>["decode"];

function field<Value>(schema: JsonSchema, decode: Decoder<Value>, about: string): Field<Value, true> {
  return { schema: about === "" ? schema : { ...schema, description: about }, about, required: true, decode };
}

export function optional<Value>(of: Field<Value>): Field<Value, false> {
  return { ...of, required: false };
}

/** Callers may also give it under these names. */
export function alsoNamed<Value, Required extends boolean>(
  of: Field<Value, Required>,
  ...aliases: readonly string[]
): Field<Value, Required> {
  return { ...of, aliases };
}

/** For what hardly any client gives, such as what only a person may ask for. */
export function unlisted<Value>(of: Field<Value>): Field<Value, false> {
  return { ...of, required: false, unlisted: true };
}

export function text(maxCharacters: number, about = ""): Field<string, true> {
  return field(
    { type: "string" },
    (name, raw) => {
      if (typeof raw !== "string") return invalidInput(name, `${name} is not text.`, `Give ${name} as text.`);
      if (raw.length <= maxCharacters) return raw;
      return invalidInput(
        name,
        `${name} has ${raw.length} characters; ${maxCharacters} are allowed.`,
        `Shorten ${name}, or put the details into a note.`,
      );
    },
    about,
  );
}

/** The path of a directory, or of a file in it. The workspace judges its length and the rest. */
export function path(about = ""): Field<string, true> {
  return text(Number.POSITIVE_INFINITY, about);
}

export function id(about = ""): Field<string, true> {
  return field({ type: "string" }, decodeId, about);
}

type StoredId = { readonly message: EventId; readonly note: NoteId; readonly room: string; readonly session: string };

/** The id of something in the store, or the beginning of it. */
export function idOf<Kind extends IdKind>(kind: Kind, about = ""): Field<StoredId[Kind], true> {
  return { ...(id(about) as Field<unknown> as Field<StoredId[Kind], true>), idOf: kind };
}

export function agentId(about = ""): Field<AgentId, true> {
  return field(
    { type: "string" },
    (name, raw) => {
      const decoded = decodeId(name, raw);
      return typeof decoded === "string" ? asAgentId(decoded) : decoded;
    },
    about,
  );
}

function decodeId(name: string, raw: unknown): string | Refusal<"invalid_input"> {
  if (isId(raw)) return raw;
  return invalidInput(
    name,
    `${name} is not an id: 1 to ${LIMITS.idCharacters} visible characters without spaces.`,
    `Give the ${name} exactly as it was shown.`,
  );
}

interface Bounds {
  readonly min: number;
  readonly max: number;
}

/** Without bounds, any whole number: a rule judges it later. */
export function integer(bounds: Bounds | null = null, about = ""): Field<number, true> {
  const { min, max } = bounds ?? { min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER };
  const range = bounds ? ` from ${min} to ${max}` : "";
  return field(
    { type: "integer" },
    (name, raw, required = true) => {
      if (Number.isSafeInteger(raw) && (raw as number) >= min && (raw as number) <= max) return raw as number;
      const orNot = required ? "" : ", or leave it out";
      return invalidInput(
        name,
        `${name} is not a whole number${range}.`,
        bounds ? `Give ${name} within these bounds${orNot}.` : `Give ${name} as a whole number.`,
      );
    },
    about,
  );
}

export function flag(about = ""): Field<boolean, true> {
  return field(
    { type: "boolean" },
    (name, raw) => {
      if (typeof raw === "boolean") return raw;
      return invalidInput(name, `${name} is neither true nor false.`, `Give ${name} as true or false.`);
    },
    about,
  );
}

export function choice<const Choice extends string>(choices: readonly Choice[], about = ""): Field<Choice, true> {
  return field(
    { type: "string", enum: choices },
    (name, raw) => {
      const chosen = choices.find((candidate) => candidate === raw);
      if (chosen !== undefined) return chosen;
      return invalidInput(name, `${name} is not one of ${choices.join(", ")}.`, `Give ${name} as one of these.`);
    },
    about,
  );
}

/** A field that a rule of its own decodes, such as a handoff. */
export function shaped<Value>(schema: JsonSchema, decode: Decoder<Value>, about = ""): Field<Value, true> {
  return field(schema, decode, about);
}
