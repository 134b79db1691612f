/** What setting up a harness, or the opposite, does to one file. Pure: the file's text comes in, the new one goes out. */
import { bringIn, isInOrder, takeOut } from "./own-entries.ts";
import type { OwnEntries } from "./own-marks.ts";
import { type ConfigFile, type FileRecord, isOurText, type WantedFile, type WholeFile } from "./wanted-file.ts";

export interface FileChange {
  /** Null when the file is to be removed. */
  readonly after: string | null;
  readonly record: Pick<FileRecord, "existed" | "written" | "replaced" | "left">;
  /** Whether nothing can be lost by it: all that goes is what we wrote. */
  readonly exact: boolean;
}

const NOTHING = { existed: false, written: [], replaced: null, left: null };

/** `broken`: not of its format, or too deep. `occupied`: something is in the way. */
export type Obstacle = "broken" | "occupied";

/** The text is null when there is no file. */
export function planIn(file: WantedFile, before: string | null, record: FileRecord | null): FileChange | Obstacle {
  return file.kind === "whole" ? wholeIn(file, before, record) : entriesIn(file, before, record);
}

/** Null when nothing of ours is there. */
export function planOut(
  file: WantedFile,
  before: string | null,
  record: FileRecord | null,
): FileChange | Obstacle | null {
  if (before === null) return null;
  return file.kind === "whole" ? wholeOut(file, before, record) : entriesOut(file, before, record);
}

function wholeIn(file: WholeFile, before: string | null, record: FileRecord | null): FileChange {
  const { text } = file;
  const isTheirs = before !== null && !isOurText(file, before, record);
  const known = isTheirs ? { existed: true, replaced: before } : (record ?? { existed: false, replaced: null });
  return {
    after: text,
    record: { existed: known.existed, written: [], replaced: known.replaced, left: text },
    exact: record !== null && before === record.left,
  };
}

function wholeOut(file: WholeFile, before: string, record: FileRecord | null): FileChange | null {
  const { text } = file;
  if (!isOurText(file, before, record)) return null;
  return { after: record?.replaced ?? null, record: NOTHING, exact: before === (record?.left ?? text) };
}

function entriesIn(file: ConfigFile, before: string | null, record: FileRecord | null): FileChange | Obstacle {
  const text = before ?? "";
  if (file.format.read(text) === null) return "broken";
  const edited = bringIn(file.format, text, ownIn(file, record));
  if (edited === null) return "occupied";
  const existed = before !== null && (record?.existed ?? true);
  const { written } = edited;
  return { after: edited.text, record: { existed, written, replaced: null, left: null }, exact: false };
}

function entriesOut(file: ConfigFile, before: string, record: FileRecord | null): FileChange | Obstacle | null {
  if (file.format.read(before) === null) {
    // It holds nothing of ours.
    return record === null && !/talking-stick|tt-hook/.test(before) ? null : "broken";
  }
  const edited = takeOut(file.format, before, ownIn(file, record));
  if (edited === null) return "occupied";
  if (edited.text === before) return null;
  const isGone = record?.existed === false && isBare(file, edited.text);
  return { after: isGone ? null : edited.text, record: NOTHING, exact: edited.exact };
}

function ownIn({ entries, marks }: ConfigFile, record: FileRecord | null): OwnEntries {
  return { entries, marks, written: record?.written ?? [] };
}

/** Neither a value nor a comment. */
function isBare({ format }: ConfigFile, text: string): boolean {
  return /^[\s{}]*$/.test(text) && Object.keys(format.read(text) ?? {}).length === 0;
}

/** Whether the file is as setting up would leave it. */
export function isAsWanted(file: WantedFile, before: string | null): boolean {
  if (file.kind === "whole") return before === file.text;
  const document = before === null ? null : file.format.read(before);
  return document !== null && isInOrder(document, { entries: file.entries, marks: file.marks, written: [] });
}
