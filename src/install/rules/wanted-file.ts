/** The files that a harness is set up by, and what is known about those that were written. */
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

/** A file that is ours from the first byte to the last. */
export interface WholeFile {
  readonly kind: "whole";
  readonly path: string;
  readonly text: string;
  readonly executable: boolean;
  /** What the file is, for people. */
  readonly what: string;
  readonly looks: Looks;
  /** A person who writes the harness's own files by hand can use it. */
  readonly standsAlone?: boolean;
}

/** How to recognise a file that is ours as a whole, of any version. */
export interface Looks {
  /** Our mark at its place in the text; the version is its first group. */
  readonly mark: RegExp;
  /** What else only we would have written; asked for where nothing is remembered. */
  readonly pinned: RegExp;
}

/** What has to be known to give a file back as it was. */
export interface FileRecord {
  /** The harnesses that need it. */
  readonly users: readonly string[];
  /** What was there before us: nothing, or a file. */
  readonly existed: boolean;
  /** Directories that were made for it, the outermost first. */
  readonly directories: readonly string[];
  /** Entries of ours; none in a file that is ours as a whole. */
  readonly written: readonly Written[];
  /** For a file that is ours as a whole: what it held before us, and what we left in it. */
  readonly replaced: string | null;
  readonly left: string | null;
}

export interface HarnessRecord {
  readonly version: string;
  readonly dataDir: string;
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

/** Whether a text is ours: what we are known to have left there, or what has our mark. */
export function isOurText({ looks }: WholeFile, text: string, record: FileRecord | null): boolean {
  if (text === record?.left) return true;
  return versionIn(looks, text) !== null && (record !== null || looks.pinned.test(text));
}
