/** Files of other programs in the user's home, and what we remember about those that we changed. */

import type { Refusal } from "../../core/refusal.ts";
import type { Ledger } from "../../install/rules/wanted-file.ts";

export interface FoundFile {
  /** Where the file really is: behind links, which stay as they are. */
  readonly target: string;
  /** Null when there is none. */
  readonly text: string | null;
  /** Whether its owner may execute it. */
  readonly executable: boolean;
  /** Why it could not be replaced; null when it could. */
  readonly locked: Refusal | null;
}

export interface FileWrite {
  readonly target: string;
  /** What must be there still; null for nothing. */
  readonly before: string | null;
  /** Null removes the file. */
  readonly after: string | null;
  readonly executable: boolean;
}

export interface ConfigFiles {
  /** Refuses what cannot be read. Changes nothing. */
  look(path: string): FoundFile | Refusal;
  /** The whole file at once, with the permissions it had. Null when it is done. */
  write(write: FileWrite): Refusal | null;
  /** Removes what a process that was killed may have left beside the path. */
  sweep(path: string): void;
  /** The directories that are missing above the path, the outermost first. */
  missingAbove(path: string): readonly string[];
  makeDirectories(directories: readonly string[]): void;
  /** Removes those that are empty, the innermost first. */
  removeDirectories(directories: readonly string[]): void;
  /** Keeps a copy beside the ledger and returns its path; the same text is kept once. */
  keepCopy(name: string, text: string): string;
  /** Deletes the copy of a text that is in its place again. */
  dropCopy(name: string, text: string): void;
  /** Does the work while no other process does such work; refuses when another does not come to an end. */
  alone<Result>(work: () => Result): Result | Refusal;
  readLedger(): Ledger;
  writeLedger(ledger: Ledger): void;
}
