/**
 * Whether the log fits the index that other processes share. SQLite trusts the index. If the log or the index was removed
 * or cut while processes had the store open, SQLite would read garbage, and write what no process finds again. When no
 * process has the store open, SQLite rebuilds the index from the log. An index that was left then tells of changes that
 * the log lacks. That is a warning and no fault: after a power failure a good store may have such an index, too.
 *
 * This reads the index as a file, so this process must have no connection open: closing the file would end its locks.
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { ASK_PERSON_NEXT, type Fault } from "../../core/fault.ts";
import { shellWord } from "../../core/shell-word.ts";
import { storeFault } from "./faults.ts";
import { nap } from "./transaction.ts";

/** The processes that have the store open; null if that is unknown. */
export type StoreUsers = (database: string) => readonly number[] | null;

/** The index begins with two equal copies of its header. Below that size it counts as new. */
const HEAD_BYTES = 48;
/** After them: how many frames SQLite has copied into the database. */
const COPIED_BYTES = 4;
/** It grows by this much at a time. */
const INDEX_PART_BYTES = 32_768;
const FRAMES_IN_FIRST_PART = 4062;
const FRAMES_IN_PART = 4096;

const LOG_HEAD_BYTES = 32;
const FRAME_HEAD_BYTES = 24;

/** Others may be at work, so only a mismatch that lasts this long counts. */
const LOOKS = 20;
const BETWEEN_LOOKS_MS = 1;

/** Returns whether the log lacks changes. Throws if the two do not fit, and another process may have the store open. */
export function assertLogFitsIndex(database: string, users: StoreUsers | undefined): boolean {
  let fit: Fit = "fits";
  for (let looks = 0; looks < LOOKS; looks += 1) {
    fit = fitOf(database);
    if (fit === "fits") return false;
    nap(BETWEEN_LOOKS_MS);
  }
  const pids = users?.(database) ?? null;
  if (pids === null || pids.length > 0) throw doesNotFit(database, pids);
  return fit === "log_lacks_changes";
}

/** The log may lack what the database has already: nothing is lost with it. */
type Fit = "fits" | "index_broken" | "log_lacks_copied" | "log_lacks_changes";

function fitOf(database: string): Fit {
  const index = beginningOf(`${database}-shm`, 2 * HEAD_BYTES + COPIED_BYTES);
  if (index === null || index.size < 2 * HEAD_BYTES) return "fits";
  const head = index.bytes.subarray(0, HEAD_BYTES);
  const frames = numbersIn(head)[4] ?? 0;
  const isWhole = index.size % INDEX_PART_BYTES === 0 && index.size >= indexBytes(frames);
  const isUsed = head[12] === 1 && head.equals(index.bytes.subarray(HEAD_BYTES, 2 * HEAD_BYTES));
  if (!isWhole) return "index_broken";
  if (!isUsed || frames === 0) return "fits";
  const log = beginningOf(`${database}-wal`, LOG_HEAD_BYTES);
  const neededBytes = LOG_HEAD_BYTES + frames * (FRAME_HEAD_BYTES + pageBytes(head));
  // Both hold the two random numbers that SQLite draws for each new log.
  const isLog = log !== null && log.bytes.subarray(16, 24).equals(head.subarray(32, 40));
  if (isLog && log.size >= neededBytes) return "fits";
  const copied = numbersIn(index.bytes.subarray(2 * HEAD_BYTES))[0] ?? 0;
  return copied >= frames ? "log_lacks_copied" : "log_lacks_changes";
}

function indexBytes(frames: number): number {
  return INDEX_PART_BYTES * (1 + Math.ceil(Math.max(0, frames - FRAMES_IN_FIRST_PART) / FRAMES_IN_PART));
}

/** In this machine's byte order: processes of the same machine wrote them. */
function numbersIn(bytes: Buffer): Uint32Array {
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
}

/** The largest size does not fit into the field and is stored as 1. */
function pageBytes(head: Buffer): number {
  const bytes = new Uint16Array(head.buffer, head.byteOffset, HEAD_BYTES / 2)[7] ?? 0;
  return bytes === 1 ? 65_536 : bytes;
}

interface Beginning {
  readonly size: number;
  readonly bytes: Buffer;
}

/** Null when there is no such file. */
function beginningOf(path: string, length: number): Beginning | null {
  try {
    const file = openSync(path, "r");
    try {
      const bytes = Buffer.alloc(length);
      readSync(file, bytes, 0, length, 0);
      return { size: fstatSync(file).size, bytes };
    } finally {
      closeSync(file);
    }
  } catch (error) {
    // SQLite itself reports a file that cannot be read.
    if ((error as NodeJS.ErrnoException).code !== undefined) return null;
    throw error;
  }
}

function doesNotFit(database: string, pids: readonly number[] | null): Fault {
  const message = `A file of the store ${database} was removed, replaced or cut short while other processes had it open.`;
  const users = pids === null ? "every process that has the store open" : `process ${pids.join(", ")}`;
  const rest = pids === null ? ` If no process has it open, remove its index: rm ${shellWord(`${database}-shm`)}` : "";
  return storeFault("store_unsafe", message, {
    next: `End ${users}, and try again.${rest}`,
    ...(pids === null && { nextInHarness: ASK_PERSON_NEXT }),
    facts: { file: database, ...(pids !== null && { holder_pids: pids }) },
  });
}
