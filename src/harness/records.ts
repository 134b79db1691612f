/** Records that other programs wrote, so that any field may be missing or of another kind. */
import { isWithin } from "../platform/files/path-in.ts";

export type JsonFields = Readonly<Record<string, unknown>>;

/** Of JSON text. No fields for no text, and for text that is no object: it may be half written. */
export function fieldsIn(text: string | null): JsonFields {
  try {
    return objectIn(JSON.parse(text ?? ""));
  } catch {
    // Not JSON. The next look may read it whole.
    return {};
  }
}

export function textIn(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

export function objectIn(value: unknown): JsonFields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonFields) : {};
}

export function objectsIn(value: unknown): readonly JsonFields[] {
  return Array.isArray(value) ? value.map(objectIn) : [];
}

/** Whether an agent that works in one directory may have begun in the other: it is the same, or within it. */
export function areRelated(a: string, b: string): boolean {
  return isWithin(a, b) || isWithin(b, a);
}
