/** Well below the 255 bytes a file system allows for one name. */
const LONGEST_PART = 200;

/**
 * A file name that belongs to one text alone. Everything but small letters, digits and hyphens is escaped, so
 * texts that differ only in case stay apart where names do not. A long name is cut into directories, which end
 * in `+` so that none can be mistaken for another text's file.
 */
export function fileNameFor(kind: string, text: string): string {
  const escaped = isAscii(text)
    ? text.replace(/[^a-z0-9-]/g, escapeAscii)
    : [...new TextEncoder().encode(text)].map(escapeByte).join("");
  if (escaped.length <= LONGEST_PART) return `${kind}.${escaped}`;
  const parts = escaped.match(new RegExp(`.{1,${LONGEST_PART}}`, "g")) ?? [];
  return `${kind}.${parts.join("+/")}`;
}

/** The text that a file's name stands for; null when it is no such name, one that is cut, or one of more than ASCII. */
export function parseFileName(kind: string, name: string): string | null {
  const escaped = name.startsWith(`${kind}.`) ? name.slice(kind.length + 1) : "";
  if (!/^(?:[a-z0-9-]|%[0-7][0-9a-f])+$/.test(escaped)) return null;
  const text = decodeURIComponent(escaped);
  return fileNameFor(kind, text) === name ? text : null;
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 127) return false;
  return true;
}

function escapeAscii(character: string): string {
  return escapeByte(character.charCodeAt(0));
}

function escapeByte(byte: number): string {
  const character = String.fromCharCode(byte);
  return /[a-z0-9-]/.test(character) ? character : `%${byte.toString(16).padStart(2, "0")}`;
}
