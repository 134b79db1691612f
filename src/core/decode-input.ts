/** From what a caller gave to the input of an operation, and the schema that tells callers what to give. */
import type { Field, Fields, InputOf, JsonSchema, RawInput } from "./field.ts";
import { toSnakeCase } from "./letter-case.ts";
import { nearest } from "./nearest.ts";
import { invalidInput, isOwnRefusal, isRefusal, type Refusal } from "./refusal.ts";

/** The input as the wire names it, decoded field by field. The first that is wrong is refused by its name. */
export function decodeInput<F extends Fields>(
  fields: F,
  raw: RawInput,
  instead: Readonly<Record<string, string>> = {},
): InputOf<F> | Refusal<"invalid_input"> {
  const names = new Map(
    Object.entries(fields).flatMap(([key, field]) => namesOf(key, field).map((name) => [name, key])),
  );
  const input: Record<string, unknown> = {};
  const givenAs = new Map<string, string>();
  for (const [name, value] of Object.entries(raw)) {
    const key = names.get(name);
    if (key === undefined)
      return unknownField(name, [...names.keys()], Object.hasOwn(instead, name) ? instead[name] : undefined);
    if (value === undefined || (value === null && !fields[key]?.required)) continue;
    const field = fields[key] as Field<unknown>;
    const decoded = field.decode(toSnakeCase(key), value, field.required);
    if (isOwnRefusal(decoded)) return decoded as Refusal<"invalid_input">;
    if (key in input && input[key] !== decoded) return givenTwice(toSnakeCase(key), givenAs.get(key), name);
    input[key] = decoded;
    givenAs.set(key, name);
  }
  const missing = Object.entries(fields).find(
    ([key, field]) => field.required && !(key in input) && isRefusal(field.decode(toSnakeCase(key), undefined)),
  );
  return missing ? missingField(toSnakeCase(missing[0])) : (input as InputOf<F>);
}

function namesOf(key: string, { aliases = [] }: Field<unknown>): readonly string[] {
  return [...new Set([toSnakeCase(key), key, ...aliases])];
}

function unknownField(name: string, known: readonly string[], instead: string | undefined): Refusal<"invalid_input"> {
  const near = nearest(name, known);
  const next = near === null ? `Use ${known.join(", ") || "no fields"}.` : `Did you mean ${near}?`;
  return invalidInput(name, `There is no field ${JSON.stringify(name.slice(0, 60))}.`, instead ?? next);
}

function givenTwice(key: string, first: string | undefined, second: string): Refusal<"invalid_input"> {
  return invalidInput(
    key,
    `${first} and ${second} mean the same field, but their values differ.`,
    `Give ${key} alone.`,
  );
}

function missingField(name: string): Refusal<"invalid_input"> {
  return invalidInput(name, `${name} is missing.`, `Give ${name}.`);
}

/** The JSON schema of the input, in the names of the wire. */
export function schemaOf(fields: Fields): JsonSchema {
  const listed = Object.entries(fields).filter(([, field]) => !field.unlisted);
  const entries = listed.map(([key, field]) => [toSnakeCase(key), field] as const);
  const required = entries.filter(([, field]) => field.required).map(([name]) => name);
  return {
    type: "object",
    properties: Object.fromEntries(entries.map(([name, { schema }]) => [name, schema])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}
