/** Words of a shell's command line, whatever stands in them. */

export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Without quotes where none are needed, for people to read. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : shellQuoted(text);
}
