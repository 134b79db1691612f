/** A patch of git, file by file and line by line. A file that cannot be read as a patch keeps its text. Pure. */
import { parsePatch, type StructuredPatch, type StructuredPatchHunk } from "diff";

export type PatchRow =
  | { readonly kind: "hunk"; readonly words: string }
  | {
      readonly kind: "line";
      readonly sign: "added" | "removed" | "same";
      /** Null: the line is not in the file as it was. */
      readonly old: number | null;
      readonly new: number | null;
      readonly text: string;
    }
  | { readonly kind: "note" | "plain"; readonly text: string };

export interface PatchFile {
  readonly path: string;
  /** Such as `new file` or `renamed from its former path`. */
  readonly what: readonly string[];
  readonly added: number;
  readonly removed: number;
  readonly rows: readonly PatchRow[];
  /** Whether its rows are the lines of the patch as they came. */
  readonly isPlain: boolean;
}

const BEGIN = "diff --git ";

/** `isCut`: the patch ends too early, so its last file may not be whole. */
export function patchFiles(patch: string, isCut: boolean): readonly PatchFile[] {
  const sections = sectionsOf(patch);
  return sections.flatMap((section, index) => {
    const isLast = index === sections.length - 1;
    return isCut && isLast ? cutFile(section) : filesIn(section);
  });
}

/** A line of a file begins with a sign or a blank, so no such line looks like the beginning of a section. */
function sectionsOf(patch: string): readonly string[] {
  // Only a line feed ends a line of a patch. For a pattern with the flag m other characters would, too.
  return patch.split(/(?<=\n)(?=diff --git )/).filter((section) => section.trim() !== "");
}

function filesIn(section: string): readonly PatchFile[] {
  try {
    const files = parsePatch(section).map((parsed) => fileOf(parsed, pathInHead(section)));
    const isEmpty = files.every(({ rows, what }) => rows.length === 0 && what.length === 0);
    return isEmpty ? [plainFile(section)] : files;
  } catch {
    return [plainFile(section)];
  }
}

/** The last line may be half a line, and the last hunk promises more lines than there are. */
function cutFile(section: string): readonly PatchFile[] {
  const whole = section.slice(0, section.lastIndexOf("\n") + 1);
  const at = whole.lastIndexOf("\n@@ ") + 1;
  if (at === 0) return filesIn(whole === "" ? section : whole);
  const [head = "", ...lines] = whole.slice(at).split("\n").slice(0, -1);
  const range = (start: string, promised: string | undefined, signs: string) => {
    const count = lines.filter((line) => signs.includes(line[0] ?? " ")).length;
    // The number before a range without lines is that of the line before it.
    return `${count === 0 && promised !== "0" ? Number(start) - 1 : start},${count}`;
  };
  const shortened = head.replace(
    /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/,
    (_, from: string, removed: string | undefined, to: string, added: string | undefined) =>
      `@@ -${range(from, removed, " -")} +${range(to, added, " +")} @@`,
  );
  return filesIn([whole.slice(0, at) + shortened, ...lines, ""].join("\n"));
}

function plainFile(section: string): PatchFile {
  const [first = "", ...rest] = section.replace(/\n$/, "").split("\n");
  const isNamed = first.startsWith(BEGIN);
  const path = isNamed ? (pathInHead(first) ?? first.slice(BEGIN.length)) : "Patch";
  const rows = (isNamed ? rest : [first, ...rest]).map((text) => ({ kind: "plain" as const, text }));
  return { path, what: [], added: 0, removed: 0, rows, isPlain: true };
}

/** The path of a file that kept its name, exactly as git wrote it. Null: it has two names, or they are quoted. */
function pathInHead(section: string): string | null {
  const [head = ""] = section.split("\n", 1);
  const names = head.slice(BEGIN.length);
  const path = names.slice("a/".length, (names.length - 1) / 2);
  return head.startsWith(BEGIN) && names === `a/${path} b/${path}` ? path : null;
}

function fileOf(parsed: StructuredPatch, ownPath: string | null): PatchFile {
  const rows = parsed.hunks.flatMap(rowsOf);
  const count = (sign: "added" | "removed") => rows.filter((row) => row.kind === "line" && row.sign === sign).length;
  const [from, to] = [nameIn(parsed.oldFileName), nameIn(parsed.newFileName)];
  return {
    path: ownPath ?? to ?? from ?? "a file without a name",
    what: whatHappened(parsed, from, to),
    added: count("added"),
    removed: count("removed"),
    rows,
    isPlain: false,
  };
}

/** Null: there is no such file. */
function nameIn(name: string | undefined): string | null {
  return name === undefined || name === "/dev/null" ? null : name.replace(/^[ab]\//, "");
}

function whatHappened(parsed: StructuredPatch, from: string | null, to: string | null): readonly string[] {
  const { isCreate, isDelete, isRename, isCopy, isBinary, oldMode, newMode } = parsed;
  const what: string[] = [];
  if (isCreate) what.push(`new ${KINDS[newMode ?? ""] ?? "file"}`);
  if (isDelete) what.push(`deleted ${KINDS[oldMode ?? ""] ?? "file"}`);
  if (isRename && from !== to) what.push(`renamed from ${from}`);
  if (isCopy) what.push(`copied from ${from}`);
  if (isBinary) what.push("binary");
  if (oldMode && newMode && oldMode !== newMode) what.push(modeWords(oldMode, newMode));
  return what;
}

/** By the mode that git has for it. */
const KINDS: Readonly<Record<string, string>> = {
  "100755": "executable file",
  "120000": "symbolic link",
  "160000": "submodule",
};

function modeWords(oldMode: string, newMode: string): string {
  if (oldMode === "100644" && newMode === "100755") return "now executable";
  if (oldMode === "100755" && newMode === "100644") return "no longer executable";
  return `mode ${oldMode} → ${newMode}`;
}

function rowsOf({ oldStart, newStart, lines }: StructuredPatchHunk): readonly PatchRow[] {
  let [oldLine, newLine] = [oldStart, newStart];
  const rows = lines.map((line): PatchRow => {
    const text = line.slice(1);
    switch (line.charAt(0)) {
      case "+":
        newLine += 1;
        return { kind: "line", sign: "added", old: null, new: newLine - 1, text };
      case "-":
        oldLine += 1;
        return { kind: "line", sign: "removed", old: oldLine - 1, new: null, text };
      case "\\":
        return { kind: "note", text: "no line break at the end of the file" };
      default:
        oldLine += 1;
        newLine += 1;
        return { kind: "line", sign: "same", old: oldLine - 1, new: newLine - 1, text };
    }
  });
  return [{ kind: "hunk", words: `from line ${newStart}` }, ...rows];
}
