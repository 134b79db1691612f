/** Decoding what callers give. Every refusal names the field and says what to give instead. */
import { type AgentId, asAgentId, isId } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { invalidInput, type Refusal, refuse } from "../core/refusal.ts";

export function decodeId(field: string, value: unknown): string | Refusal<"invalid_input"> {
  if (isId(value)) return value;
  return invalidInput(
    field,
    `${field} is not an id: 1 to ${LIMITS.idCharacters} visible characters without spaces.`,
    `Give the ${field} exactly as it was shown.`,
  );
}

export function decodeAgentId(field: string, value: unknown): AgentId | Refusal<"invalid_input"> {
  const id = decodeId(field, value);
  return typeof id === "string" ? asAgentId(id) : id;
}

export function decodeText(field: string, value: unknown, maxCharacters: number): string | Refusal<"invalid_input"> {
  if (typeof value !== "string") return invalidInput(field, `${field} is not text.`, `Give ${field} as text.`);
  if (value.length <= maxCharacters) return value;
  return invalidInput(
    field,
    `${field} has ${value.length} characters; ${maxCharacters} are allowed.`,
    `Shorten ${field}, or put the details into a note.`,
  );
}

export function decodeInteger(
  field: string,
  value: unknown,
  { min, max }: { readonly min: number; readonly max: number },
): number | Refusal<"invalid_input"> {
  if (Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max) return value as number;
  return invalidInput(
    field,
    `${field} is not a whole number from ${min} to ${max}.`,
    `Give ${field} within these bounds, or leave it out.`,
  );
}

/** A cursor is a seq that was seen before, so it can be neither negative nor ahead of the log. */
export function decodeCursor(value: unknown, lastSeq: number): number | Refusal<"invalid_cursor"> {
  if (Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= lastSeq) return value as number;
  return refuse(
    "invalid_cursor",
    `The cursor ${String(value)} is not a position in this log, which ends at ${lastSeq}.`,
    "Use the cursor that the last read returned, or 0 to read from the start.",
    { cursor_event_seq: lastSeq },
  );
}

/** Left out means no. Anything but a boolean would be written into the log as it is, so it is refused. */
export function decodeFlag(field: string, value: unknown, byDefault = false): boolean | Refusal<"invalid_input"> {
  if (value === undefined) return byDefault;
  if (typeof value === "boolean") return value;
  return invalidInput(field, `${field} is neither true nor false.`, `Give ${field} as true or false, or leave it out.`);
}

export function decodeChoice<Choice extends string>(
  field: string,
  value: unknown,
  choices: readonly Choice[],
): Choice | Refusal<"invalid_input"> {
  const chosen = choices.find((choice) => choice === value);
  if (chosen !== undefined) return chosen;
  return invalidInput(field, `${field} is not one of ${choices.join(", ")}.`, `Give ${field} as one of these.`);
}
