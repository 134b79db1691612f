/**
 * Stored JSON, with the names of the wire.
 *
 * Free text that people and agents wrote (a note's body, a reason) is stored as JSON text too: PostgreSQL's
 * text type has no NUL and neither database keeps half a surrogate pair, but JSON escapes both.
 */
import { withCamelKeys, withSnakeKeys } from "../../core/letter-case.ts";

export function toStoredJson(value: unknown): string {
  return JSON.stringify(withSnakeKeys(value));
}

/** Throws a SyntaxError when the text is not JSON. */
export function fromStoredJson(text: string): unknown {
  return withCamelKeys(JSON.parse(text));
}
