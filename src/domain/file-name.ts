/** Well below the 255 bytes a file system allows for one name. */
const LONGEST_PART = 200;

/**
 * A file name that belongs to one text alone. Everything but small letters, digits and hyphens is escaped, so
 * texts that differ only in case stay apart where names do not. A long name is cut into directories, which end
 * in `+` so that none can be mistaken for another text's file.
 */
export function fileNameFor(kind: string, text: string): string {
  const escaped = [...new TextEncoder().encode(text)].map(escapeByte).join("");
  const parts = escaped.match(new RegExp(`.{1,${LONGEST_PART}}`, "g")) ?? [""];
  return `${kind}.${parts.join("+/")}`;
}

function escapeByte(byte: number): string {
  const character = String.fromCharCode(byte);
  return /[a-z0-9-]/.test(character) ? character : `%${byte.toString(16).padStart(2, "0")}`;
}
