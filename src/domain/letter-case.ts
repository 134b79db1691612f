/**
 * The one place where names change their form: camelCase in the program, snake_case on the wire and in stored
 * documents. Only keys are renamed, and every key of such a document is ours; values stay as they are.
 */
export function withSnakeKeys(value: unknown): unknown {
  return renameKeys(value, toSnakeCase);
}

export function withCamelKeys(value: unknown): unknown {
  return renameKeys(value, toCamelCase);
}

function renameKeys(value: unknown, rename: (key: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => renameKeys(item, rename));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [rename(key), renameKeys(item, rename)]));
}

export function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export function toCamelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
