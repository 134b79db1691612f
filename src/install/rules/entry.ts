/** What we keep in the configuration of another program: values at paths, and items in lists. */

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

export type KeyPath = readonly string[];

export interface Entry {
  /** A value of its own at the path, or one item of the list there. */
  readonly kind: "property" | "item";
  readonly path: KeyPath;
  readonly value: Json;
}

export type Document = Readonly<Record<string, unknown>>;

export function isDocument(value: unknown): value is Document {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function valueAt(document: unknown, path: KeyPath): unknown {
  return path.reduce<unknown>(
    (value, key) => (isDocument(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    document,
  );
}

export function itemsAt(document: unknown, path: KeyPath): readonly unknown[] {
  const items = valueAt(document, path);
  return Array.isArray(items) ? items : [];
}

/** A document that holds these entries and nothing else. */
export function documentOf(entries: readonly Entry[]): Readonly<Record<string, Json>> {
  const document: Record<string, Json> = {};
  for (const { kind, path, value } of entries) {
    const last = path.at(-1) ?? "";
    const parent = path.slice(0, -1).reduce((inner, key) => (inner[key] ??= {}) as Record<string, Json>, document);
    parent[last] = kind === "item" ? [...((parent[last] ?? []) as readonly Json[]), value] : value;
  }
  return document;
}

/** A value of its own may have more keys, which its user has added. */
export function holds(document: unknown, { kind, path, value }: Entry): boolean {
  if (kind === "property") {
    const there = valueAt(document, path);
    return isSame(isDocument(there) && isDocument(value) ? onlyKeysOf(value, there) : there, value);
  }
  return itemsAt(document, path).some((item) => isSame(item, value));
}

function onlyKeysOf(keys: Document, value: Document): Document {
  return Object.fromEntries(Object.entries(value).filter(([key]) => Object.hasOwn(keys, key)));
}

/** Equal in all that a configuration can hold; the order of keys does not count. */
export function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => isSame(item, other[index]));
  }
  if (!isPlain(one) || !isPlain(other)) {
    // Times of TOML are objects without keys; their words tell them apart.
    return typeof one === "object" && typeof other === "object" && JSON.stringify(one) === JSON.stringify(other);
  }
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && isSame(one[key], other[key]))
  );
}

function isPlain(value: unknown): value is Document {
  return isDocument(value) && [Object.prototype, null].includes(Object.getPrototypeOf(value));
}
