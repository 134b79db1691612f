/**
 * Stored JSON. Keys are snake_case in the store, as on the wire, and camelCase here. Every key in a stored
 * document is ours and none is user data, so renaming them deeply is safe.
 *
 * Free text that people and agents wrote (a note's body, a reason) is stored as JSON text too: PostgreSQL's
 * text type has no NUL and neither database keeps half a surrogate pair, but JSON escapes both.
 */
export function toStoredJson(value: unknown): string {
  return JSON.stringify(renameKeys(value, toSnakeCase));
}

/** Throws a SyntaxError when the text is not JSON. */
export function fromStoredJson(text: string): unknown {
  return renameKeys(JSON.parse(text), toCamelCase);
}

function renameKeys(value: unknown, rename: (key: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => renameKeys(item, rename));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [rename(key), renameKeys(item, rename)]));
}

function toSnakeCase(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function toCamelCase(key: string): string {
  return key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
