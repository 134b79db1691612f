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

export const toSnakeCase = remembering((name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));

export const toCamelCase = remembering((name) => {
  const [first = "", ...rest] = name.split("_");
  let camel = first;
  for (const part of rest) camel += isSmallLetter(part.charCodeAt(0)) ? capitalized(part) : `_${part}`;
  return camel;
});

function isSmallLetter(code: number): boolean {
  return code >= 0x61 && code <= 0x7a;
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** Names are few and come again with every document; what strangers send must not fill the memory, though. */
function remembering(rename: (name: string) => string): (name: string) => string {
  const known = new Map<string, string>();
  return (name) => {
    const before = known.get(name);
    if (before !== undefined) return before;
    const after = rename(name);
    if (known.size < 1000) known.set(name, after);
    return after;
  };
}
