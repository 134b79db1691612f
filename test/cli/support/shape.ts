/** What a value is made of, key by key in order, so that an answer's form can be written down as a literal. */
export type Shape = string | readonly Shape[] | { readonly [key: string]: Shape };

/** A list is shown by its first item. */
export function shapeOf(value: unknown): Shape {
  if (value === null) return "null";
  if (Array.isArray(value)) return value.length === 0 ? [] : [shapeOf(value[0])];
  if (typeof value !== "object") return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shapeOf(inner)]));
}
