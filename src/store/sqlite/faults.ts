/** SQLite's result codes as faults, each with what to do about it. */
import { accessSync, constants, existsSync } from "node:fs";
import { dirname } from "node:path";
import {
  ELSEWHERE_NEXT,
  Fault,
  type FaultCode,
  type FaultDetails,
  type ForbiddenPath,
  readOnlyFault,
  SANDBOX_NEXT,
} from "../../core/fault.ts";
import { shellWord } from "../../core/shell-word.ts";

/** By the family of SQLite's result code. Any other family means that the store cannot be reached. */
const FAMILIES: Readonly<Record<number, FaultCode>> = {
  3: "store_readonly", // SQLITE_PERM
  5: "store_busy", // SQLITE_BUSY
  6: "store_busy", // SQLITE_LOCKED
  8: "store_readonly", // SQLITE_READONLY
  13: "store_full", // SQLITE_FULL
  15: "store_busy", // SQLITE_PROTOCOL
  // Our statements fit our schema, so if one is refused, the schema or the rows are not ours.
  1: "store_corrupt", // SQLITE_ERROR
  12: "store_corrupt", // SQLITE_NOTFOUND
  17: "store_corrupt", // SQLITE_SCHEMA
  19: "store_corrupt", // SQLITE_CONSTRAINT
  20: "store_corrupt", // SQLITE_MISMATCH
  // Damage in the file itself.
  11: "store_corrupt", // SQLITE_CORRUPT
  24: "store_corrupt", // SQLITE_FORMAT
  26: "store_corrupt", // SQLITE_NOTADB
};
const DAMAGE: readonly number[] = [11, 24, 26];
const CANTOPEN = 14;

/** Extended codes that mean something else than their family. */
const READONLY_DBMOVED = 1032;
const IOERR_SHMSIZE = 4874;

const NEXT: Readonly<Record<FaultCode, string>> = {
  store_busy: "Try again in a moment. If it happens again, look at the processes that have the store open.",
  store_full: "Free some disk space. The store then works again by itself.",
  store_readonly: ELSEWHERE_NEXT,
  store_corrupt:
    "End every process that has the store open (tt doctor lists them), and try again. If it happens again, restore a backup.",
  store_too_new:
    "A newer tt has upgraded the store. Update this program, or restart the client whose server still runs the older one.",
  store_unsafe: "Put the store where only you can write, on a local disk.",
  store_unreachable: "Check that the store's directory exists and its disk works, then try again.",
};

const MAY_PASS: ReadonlySet<FaultCode> = new Set(["store_busy", "store_full", "store_unreachable"]);

export function storeFault(code: FaultCode, message: string, details: Partial<FaultDetails> = {}): Fault {
  return new Fault(code, message, { next: NEXT[code], retry: MAY_PASS.has(code), ...details });
}

/** Looks for the file of a store, or the directory, that this process may not write. */
export type FindForbidden = (file: string) => ForbiddenPath | null;

/** An error of the driver as a fault. `committing`: the failure came while a commit was under way. */
export function sqliteFault(
  error: unknown,
  file: string,
  {
    committing = false,
    findForbidden,
  }: { readonly committing?: boolean; readonly findForbidden?: FindForbidden | undefined } = {},
): Fault {
  if (error instanceof Fault) return error;
  const extended = resultCode(error);
  const reason = error instanceof Error ? error.message : String(error);
  const code = faultCode(extended, file);
  const forbidden = code === "store_readonly" ? findForbidden?.(file) : null;
  if (forbidden)
    return readOnlyFault(forbidden, {
      facts: { file, ...(extended !== null && { sqlite_code: extended }) },
      cause: error,
    });
  const isUnproven = code === "store_corrupt" && !isProofOfDamage(error, extended);
  return storeFault(code, `The store ${file} failed: ${reason}.`, {
    facts: { file, ...(extended !== null && { sqlite_code: extended }) },
    cause: error,
    ...(code === "store_readonly" && { nextInHarness: SANDBOX_NEXT }),
    ...(code === "store_corrupt" && { next: damagedNext(file, isUnproven) }),
    // Frames may have reached the log file before a sync failed, and a recovery would then find them.
    ...(committing && code === "store_unreachable" && { outcomeUnknown: true }),
  });
}

/** The files are moved together: SQLite would apply a log that stays behind to the next database, or lose it. */
function damagedNext(file: string, isUnproven: boolean): string {
  const removal = `rm -f ${shellWord(`${file}-wal`)} ${shellWord(`${file}-shm`)}`;
  const before = `Before you restore it, remove the old log, which SQLite would apply to it (${removal}).`;
  if (isUnproven) return refusedNext(file, before);
  const companions = ["-wal", "-shm", "-journal"]
    .map((ending) => `${file}${ending}`)
    .filter((path) => existsSync(path));
  const files = [file, ...companions].map(shellWord).join(" ");
  const aside = shellWord(`${dirname(file)}/damaged.XXXXXX`);
  return `${NEXT.store_corrupt} ${before} If there is no backup, put its files aside to start with a new store: d=$(mktemp -d ${aside}) && mv ${files} "$d"`;
}

/** SQLite refused a statement that fits our schema: either the file is damaged, or this program has a bug. */
function refusedNext(file: string, before: string): string {
  const check = `sqlite3 ${shellWord(file)} 'PRAGMA integrity_check'`;
  return `Keep a copy of the store's files and check them with: ${check}. If it answers ok, report a bug in tt; else restore a backup. ${before}`;
}

/** Whether another connection holds the lock. */
export function isLocked(error: unknown): boolean {
  const code = resultCode(error);
  return code !== null && FAMILIES[code & 0xff] === "store_busy";
}

function resultCode(error: unknown): number | null {
  // The packaged driver often gives only the family of the code in the common field.
  const { errcode, sqliteExtendedCode } = (error ?? {}) as { errcode?: unknown; sqliteExtendedCode?: unknown };
  const code = sqliteExtendedCode ?? errcode;
  return typeof code === "number" ? code : null;
}

/** SQLite found damage in the file itself, or a number that is larger than any of ours. */
function isProofOfDamage(error: unknown, extended: number | null): boolean {
  if (extended === null) return error instanceof RangeError;
  return DAMAGE.includes(extended & 0xff);
}

function faultCode(extended: number | null, file: string): FaultCode {
  // The driver itself could not convert a value, for example a number too large to be one of ours.
  if (extended === null) return "store_corrupt";
  if (extended === IOERR_SHMSIZE) return "store_full";
  if (extended === READONLY_DBMOVED) return "store_unreachable";
  const family = extended & 0xff;
  if (family === CANTOPEN && !isWritable(file)) return "store_readonly";
  return FAMILIES[family] ?? "store_unreachable";
}

function isWritable(file: string): boolean {
  return [dirname(file), file].every((path) => {
    try {
      accessSync(path, constants.W_OK);
      return true;
    } catch (error) {
      // A missing file is not a forbidden file.
      const { code } = error as NodeJS.ErrnoException;
      return code !== "EROFS" && code !== "EACCES" && code !== "EPERM";
    }
  });
}
