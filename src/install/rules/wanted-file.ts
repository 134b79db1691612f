/** The files that set up a harness, and what we recorded about those that we wrote. */
import type { ConfigFormat } from "./config-format.ts";
import type { Entry } from "./entry.ts";
import type { OwnMarks, Written } from "./own-marks.ts";

export type WantedFile = ConfigFile | WholeFile;

/** A file of the harness in which some entries are ours. */
export interface ConfigFile {
  readonly kind: "config";
  readonly path: string;
  readonly format: ConfigFormat;
  readonly entries: readonly Entry[];
  readonly marks: OwnMarks;
  /** Directories that our entries name and that must be there. */
  readonly directories?: readonly string[];
}

/** A file that we wrote as a whole. */
export interface WholeFile {
  readonly kind: "whole";
  readonly path: string;
  readonly text: string;
  readonly executable: boolean;
  /** What the file is, for people. */
  readonly what: string;
  readonly looks: Looks;
  /** The file is useful even alone, for a person who writes the harness's own files by hand. */
  readonly standsAlone?: boolean;
}

/** How to recognise a file that any version of ours wrote as a whole. */
export interface Looks {
  /** Our mark at its place in the text; the version is its first group. */
  readonly mark: RegExp;
  /** Other text that only we would have written. It must be there, too, if there is no record of the file. */
  readonly pinned: RegExp;
}

/** What must be known to restore a file as it was. */
export interface FileRecord {
  /** The harnesses that need it. */
  readonly users: readonly string[];
  /** Whether there was a file before we wrote ours. */
  readonly existed: boolean;
  /** Directories that were made for it, the outermost first. */
  readonly directories: readonly string[];
  /** Our entries; none in a file that we wrote as a whole. */
  readonly written: readonly Written[];
  /** For a file that we wrote as a whole: its text before, and the text that we wrote. */
  readonly replaced: string | null;
  readonly left: string | null;
}

export interface HarnessRecord {
  readonly version: string;
  readonly dataDir: string;
  /** Whether the guard was set up with it. */
  readonly guard?: boolean;
}

export interface Ledger {
  readonly harnesses: Readonly<Record<string, HarnessRecord>>;
  /** By path. */
  readonly files: Readonly<Record<string, FileRecord>>;
  /** Directories that were made for the ledger itself, the outermost first. */
  readonly directories?: readonly string[];
}

export const EMPTY_LEDGER: Ledger = { harnesses: {}, files: {} };

/** The version of ours that wrote the text; null when it has no mark. */
export function versionIn({ mark }: Looks, text: string): string | null {
  return mark.exec(text)?.[1] ?? null;
}

/** Whether a text is ours: it equals the recorded text, or it has our mark. */
export function isOurText({ looks }: WholeFile, text: string, record: FileRecord | null): boolean {
  if (text === record?.left) return true;
  return versionIn(looks, text) !== null && (record !== null || looks.pinned.test(text));
}
