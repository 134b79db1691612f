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
  const entries = Object.entries(value);
  for (const entry of entries) {
    entry[0] = rename(entry[0]);
    if (typeof entry[1] === "object") entry[1] = renameKeys(entry[1], rename);
  }
  return Object.fromEntries(entries);
}

export const toSnakeCase = memoizeNames((name) => {
  let snake = "";
  let from = 0;
  for (let at = 0; at < name.length; at += 1) {
    if (!isCapital(name.charCodeAt(at))) continue;
    snake += `${name.slice(from, at)}_${name.charAt(at).toLowerCase()}`;
    from = at + 1;
  }
  return snake + name.slice(from);
});

export const toCamelCase = memoizeNames((name) => {
  let camel = "";
  let from = 0;
  for (let at = name.indexOf("_"); at >= 0; at = name.indexOf("_", at + 1)) {
    if (!isSmallLetter(name.charCodeAt(at + 1))) continue;
    camel += name.slice(from, at) + name.charAt(at + 1).toUpperCase();
    from = at + 2;
  }
  return camel + name.slice(from);
});

function isCapital(code: number): boolean {
  return code >= 0x41 && code <= 0x5a;
}

function isSmallLetter(code: number): boolean {
  return code >= 0x61 && code <= 0x7a;
}

/** Names are few and come again with every document; what strangers send must not fill the memory, though. */
function memoizeNames(rename: (name: string) => string): (name: string) => string {
  const known = new Map<string, string>();
  return (name) => {
    const before = known.get(name);
    if (before !== undefined) return before;
    const after = rename(name);
    if (known.size < 1000) known.set(name, after);
    return after;
  };
}
