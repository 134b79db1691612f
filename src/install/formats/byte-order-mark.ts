import type { ConfigFormat } from "../rules/config-format.ts";

const MARK = "\uFEFF";

/** Some editors begin a file with a mark that is no part of the text. It stays where it is. */
export function afterByteOrderMark(format: ConfigFormat): ConfigFormat {
  return {
    name: format.name,
    read: (text) => format.read(without(text)),
    isTooDeep: (text) => format.isTooDeep(without(text)),
    whereBroken: (text) => format.whereBroken(without(text)),
    whereIs: (text, path) => format.whereIs(without(text), path),
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
