/**
 * JSON as every door prints it. A terminal may show it, and others wrote its texts. So invisible characters are
 * escaped, which means the same to every reader of JSON.
 */
import { escapeWithoutShape } from "./visible.ts";

export function jsonText(value: unknown): string {
  return escapeWithoutShape(JSON.stringify(value), escaped);
}

/** One escape for each half of a character that needs two. */
function escaped(character: string): string {
  let text = "";
  for (let at = 0; at < character.length; at += 1)
    text += `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`;
  return text;
}
