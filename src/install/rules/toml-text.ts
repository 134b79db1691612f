/** Values as TOML. */
import { isDocument, type Json, type KeyPath } from "./entry.ts";

export function keyToml(path: KeyPath): string {
  return path.map((key) => (/^[\w-]+$/.test(key) ? key : stringToml(key))).join(".");
}

/** A table of that name with its plain values, and one more for each that it holds. */
export function tablesToml(path: KeyPath, value: Json): readonly string[] {
  const entries = isDocument(value) ? Object.entries(value) : [];
  const plain = entries.filter(([, inner]) => !isDocument(inner));
  const nested = entries.filter(([, inner]) => isDocument(inner));
  return [
    `[${keyToml(path)}]`,
    ...plain.map(([key, inner]) => `${keyToml([key])} = ${inlineToml(inner)}`),
    ...nested.flatMap(([key, inner]) => ["", ...tablesToml([...path, key], inner)]),
  ];
}

export function inlineToml(value: Json): string {
  if (typeof value === "string") return stringToml(value);
  if (Array.isArray(value)) return `[${value.map(inlineToml).join(", ")}]`;
  if (!isDocument(value)) return JSON.stringify(value);
  const pairs = Object.entries(value);
  return `{ ${pairs.map(([key, inner]) => `${keyToml([key])} = ${inlineToml(inner)}`).join(", ")} }`;
}

/** A basic string has the escapes of JSON, but DEL must not stand in it as it is. */
function stringToml(text: string): string {
  return JSON.stringify(text).replaceAll("\u007f", String.raw`\u007f`);
}
