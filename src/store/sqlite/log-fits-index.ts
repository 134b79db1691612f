/**
 * Whether the log fits the index that other processes share. SQLite believes the index: where the log was removed or cut
 * under processes that still have the store open, or the index was, it would read what is not there, and write what nobody
 * finds again. When no process has the store open, SQLite makes the index anew, and everything fits.
 *
 * This reads the index as a file, so no connection of this process may be open: to close the file would end its locks.
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import type { Fault } from "../../core/fault.ts";
import { storeFault } from "./faults.ts";
import { nap } from "./transaction.ts";

/** The processes that have the store open; null where nobody can tell. */
export type StoreUsers = (database: string) => readonly number[] | null;

/** The index begins with two equal copies of its head. Below that size it counts as new. */
const HEAD_BYTES = 48;
/** It grows by as much at a time; within a moment, page by page. */
const INDEX_PART_BYTES = 32_768;
const FRAMES_IN_FIRST_PART = 4062;
const FRAMES_IN_PART = 4096;

const LOG_HEAD_BYTES = 32;
const FRAME_HEAD_BYTES = 24;

/** Others may be at work: what does not fit for as long as this does not fit. */
const LOOKS = 20;
const BETWEEN_LOOKS_MS = 1;

export function assertLogFitsIndex(database: string, users: StoreUsers | undefined): void {
  for (let looks = 0; looks < LOOKS; looks += 1) {
    if (fits(database)) return;
    nap(BETWEEN_LOOKS_MS);
  }
  const pids = users?.(database) ?? null;
  if (pids === null || pids.length > 0) throw doesNotFit(database, pids);
}

function fits(database: string): boolean {
  const index = beginningOf(`${database}-shm`, 2 * HEAD_BYTES);
  if (index === null || index.size < 2 * HEAD_BYTES) return true;
  const head = index.bytes.subarray(0, HEAD_BYTES);
  const frames = numbersIn(head)[4] ?? 0;
  const isWhole = index.size % INDEX_PART_BYTES === 0 && index.size >= indexBytes(frames);
  const isUsed = head[12] === 1 && head.equals(index.bytes.subarray(HEAD_BYTES));
  if (!isWhole || !isUsed || frames === 0) return isWhole;
  const log = beginningOf(`${database}-wal`, LOG_HEAD_BYTES);
  if (log === null) return false;
  const neededBytes = LOG_HEAD_BYTES + frames * (FRAME_HEAD_BYTES + pageBytes(head));
  // Both have the two numbers that SQLite draws for each new log.
  return log.size >= neededBytes && log.bytes.subarray(16, 24).equals(head.subarray(32, 40));
}

function indexBytes(frames: number): number {
  return INDEX_PART_BYTES * (1 + Math.ceil(Math.max(0, frames - FRAMES_IN_FIRST_PART) / FRAMES_IN_PART));
}

/** In the order of bytes that this machine has, because other processes of it have written them. */
function numbersIn(head: Buffer): Uint32Array {
  return new Uint32Array(head.buffer, head.byteOffset, HEAD_BYTES / 4);
}

/** The largest size does not fit into the number and is written as 1. */
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
    // What cannot be read is SQLite's to tell.
    if ((error as NodeJS.ErrnoException).code !== undefined) return null;
    throw error;
  }
}

function doesNotFit(database: string, pids: readonly number[] | null): Fault {
  const message = `A file of the store ${database} was removed, replaced or cut short while other processes had it open.`;
  const whom = pids === null ? "whatever has the store open" : `process ${pids.join(", ")}`;
  const rest = pids === null ? ` If nothing has it open, remove ${database}-shm.` : "";
  return storeFault("store_unsafe", message, {
    next: `End ${whom}, and try again.${rest}`,
    facts: { file: database, ...(pids !== null && { holder_pids: pids }) },
  });
}
