import type { ConfigFormat } from "../rules/config-format.ts";

const MARK = "\uFEFF";
/** Far deeper than any real file, and far less deep than the parsers and our own comparisons can handle. */
const MAX_DEPTH = 200;

/**
 * A format that can handle any text in a file. Some editors begin a file with a mark that is no part of the text: it stays
 * where it is. A document that is nested too deeply is none to us: it is neither read nor edited.
 */
export function guarded(format: Omit<ConfigFormat, "isTooDeep">): ConfigFormat {
  return {
    name: format.name,
    read(text) {
      const value = readOrTooDeep(format, without(text));
      return value === "too deep" ? null : value;
    },
    isTooDeep: (text) => readOrTooDeep(format, without(text)) === "too deep",
    whereBroken: (text) => format.whereBroken(without(text)),
    whereIs: (text, path) => format.whereIs(without(text), path),
    leaves(text) {
      const shift = text.length - without(text).length;
      return format
        .leaves(without(text))
        .map((leaf) => ({ ...leaf, start: leaf.start + shift, end: leaf.end + shift }));
    },
    put(text, entry) {
      const placed = format.put(without(text), entry);
      const shift = text.length - without(text).length;
      return placed && { ...placed, edit: { ...placed.edit, at: placed.edit.at + shift } };
    },
    drop(text, path) {
      const rest = without(text);
      const left = format.drop(rest, path);
      return left === null ? null : text.slice(0, text.length - rest.length) + left;
    },
  };
}

function without(text: string): string {
  return text.startsWith(MARK) ? text.slice(MARK.length) : text;
}

function readOrTooDeep(format: Pick<ConfigFormat, "read">, text: string) {
  try {
    const value = format.read(text);
    return value !== null && isDeeper(value) ? "too deep" : value;
  } catch (error) {
    // The parsers call themselves for each level, until there is no room for another call.
    if (!(error instanceof RangeError)) throw error;
    return "too deep";
  }
}

/** Level by level, without a call for each. */
function isDeeper(document: unknown): boolean {
  let level: readonly unknown[] = [document];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap((value) => (typeof value === "object" && value !== null ? Object.values(value) : []));
  }
  return false;
}
