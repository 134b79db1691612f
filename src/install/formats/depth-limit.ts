import type { ConfigFormat } from "../rules/config-format.ts";

/** Far deeper than anybody writes, and far less than what the parsers and our own comparisons can bear. */
const MAX_DEPTH = 200;

/** A document that is nested more deeply is none to us: it is neither read nor edited. */
export function withinDepth(format: Omit<ConfigFormat, "isTooDeep">): ConfigFormat {
  const read: ConfigFormat["read"] = (text) => {
    const value = readOrTooDeep(format, text);
    return value === "too deep" ? null : value;
  };
  return { ...format, read, isTooDeep: (text) => readOrTooDeep(format, text) === "too deep" };
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
