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

/** `isCut`: the patch is longer than this, so its last file is not whole. */
export function patchFiles(patch: string, isCut: boolean): readonly PatchFile[] {
  const sections = sectionsOf(patch);
  return sections.flatMap((section, index) => {
    const isLast = index === sections.length - 1;
    return isCut && isLast ? cutFile(section) : filesIn(section);
  });
}

/** Lines of a file begin with a sign or a blank, so that this is never one of them. */
function sectionsOf(patch: string): readonly string[] {
  return patch.split(/^(?=diff --git )/m).filter((section) => section.trim() !== "");
}

function filesIn(section: string): readonly PatchFile[] {
  try {
    const files = parsePatch(section).map((parsed) => fileOf(parsed));
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
  if (at === 0) return filesIn(section);
  const [head = "", ...lines] = whole.slice(at).split("\n").slice(0, -1);
  const count = (signs: string) => lines.filter((line) => signs.includes(line[0] ?? " ")).length;
  const shortened = head.replace(
    /^@@ -(\d+)\S* \+(\d+)\S* @@/,
    (_, from: string, to: string) => `@@ -${from},${count(" -")} +${to},${count(" +")} @@`,
  );
  return filesIn([whole.slice(0, at) + shortened, ...lines, ""].join("\n"));
}

function plainFile(section: string): PatchFile {
  const [first = "", ...rest] = section.replace(/\n$/, "").split("\n");
  const isNamed = first.startsWith(BEGIN);
  const path = isNamed ? (/ "?b\/(.+?)"?$/.exec(first)?.[1] ?? first.slice(BEGIN.length)) : "Patch";
  const rows = (isNamed ? rest : [first, ...rest]).map((text) => ({ kind: "plain" as const, text }));
  return { path, what: [], added: 0, removed: 0, rows, isPlain: true };
}

function fileOf(parsed: StructuredPatch): PatchFile {
  const rows = parsed.hunks.flatMap(rowsOf);
  const count = (sign: "added" | "removed") => rows.filter((row) => row.kind === "line" && row.sign === sign).length;
  const [from, to] = [nameIn(parsed.oldFileName), nameIn(parsed.newFileName)];
  return {
    path: to ?? from ?? "a file without a name",
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
  if (isCreate) what.push("new file");
  if (isDelete) what.push("deleted");
  if (isRename && from !== to) what.push(`renamed from ${from}`);
  if (isCopy) what.push(`copied from ${from}`);
  if (isBinary) what.push("binary");
  if (oldMode && newMode && oldMode !== newMode) what.push(`mode ${oldMode} → ${newMode}`);
  return what;
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
