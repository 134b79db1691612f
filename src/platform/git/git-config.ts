/**
 * Reads the text of a git configuration as data. Files that it includes are not read: only git follows them, and git is
 * never started under a configuration that a repository brings along.
 */

export interface GitSetting {
  /** `section.key` or `section.subsection.key`; section and key in lower case. */
  readonly name: string;
  /** A key without a value means true. */
  readonly value: string;
}

const SPACE = /[ \t\r]/;
const ESCAPED: Readonly<Record<string, string>> = { n: "\n", t: "\t", b: "\b", "\\": "\\", '"': '"' };

/** The settings in their order, in which a later one wins; null when git would refuse the text. */
export function parseGitConfig(text: string): readonly GitSetting[] | null {
  const source = text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  const settings: GitSetting[] = [];
  let section = "";
  let at = 0;
  while (at < source.length) {
    const char = source.charAt(at);
    if (char === "\n" || SPACE.test(char)) at += 1;
    else if (char === "#" || char === ";") at = lineEnd(source, at);
    else if (char === "[") {
      const header = /^\[([A-Za-z0-9.-]+)(?:[ \t]+"((?:[^"\\\n]|\\[^\n])*)")?\]/.exec(
        source.slice(at, lineEnd(source, at)),
      );
      if (header === null) return null;
      section = `${sectionName(header[1] ?? "", header[2])}.`;
      at += header[0].length;
    } else {
      const key = /^[A-Za-z][A-Za-z0-9-]*/.exec(source.slice(at, lineEnd(source, at)))?.[0];
      if (key === undefined) return null;
      const read = readValue(source, at + key.length);
      if (read === null) return null;
      settings.push({ name: `${section}${key.toLowerCase()}`, value: read.value });
      at = read.end;
    }
  }
  return settings;
}

function sectionName(section: string, subsection: string | undefined): string {
  const name = section.toLowerCase();
  return subsection === undefined ? name : `${name}.${subsection.replace(/\\(.)/g, "$1")}`;
}

function lineEnd(source: string, at: number): number {
  const end = source.indexOf("\n", at);
  return end < 0 ? source.length : end;
}

interface ReadValue {
  readonly value: string;
  readonly end: number;
}

/** From behind the key to the end of the line, or of the last line that a backslash joins to it. */
function readValue(source: string, start: number): ReadValue | null {
  let at = start;
  while (SPACE.test(source.charAt(at))) at += 1;
  if (at >= source.length || source.charAt(at) === "\n") return { value: "true", end: at };
  if (source.charAt(at) !== "=") return null;
  let value = "";
  let kept = 0;
  let quoted = false;
  for (at += 1; at < source.length && source.charAt(at) !== "\n"; at += 1) {
    const char = source.charAt(at);
    if (char === '"') {
      quoted = !quoted;
      kept = value.length;
    } else if (char === "\\") {
      at += 1;
      if (source.charAt(at) === "\n") continue;
      const escaped = ESCAPED[source.charAt(at)];
      if (escaped === undefined) return null;
      value += escaped;
      kept = value.length;
    } else if (!quoted && (char === "#" || char === ";")) {
      at = lineEnd(source, at);
      break;
    } else if (quoted || !SPACE.test(char)) {
      value += char;
      kept = value.length;
    } else if (value !== "") value += char;
  }
  // Blanks at the end belong to the value only where they are quoted.
  return quoted ? null : { value: value.slice(0, kept), end: at };
}

/** A value as it stands in a configuration. */
export function quotedGitValue(value: string): string {
  return `"${value.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n").replaceAll("\t", "\\t").replaceAll("\b", "\\b")}"`;
}
