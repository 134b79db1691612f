/**
 * Opens the store's file and makes sure, by reading back, that it is as safe as we promise. The file itself was
 * made and looked at before (platform/files/data-directory.ts); SQLite gives its companions the same mode and owner.
 */
import type { Clock } from "../../engine/ports/clock.ts";
import type { Store } from "../../engine/ports/store.ts";
import { isReadable, NEWEST_VERSION } from "../sql/schema-steps.ts";
import { Connection, isOpenHere, setAndAssert } from "./connection.ts";
import { loadSqliteDriver, type SqliteDriver } from "./driver.ts";
import { storeFault } from "./faults.ts";
import { assertLogFitsIndex, type StoreUsers } from "./log-fits-index.ts";
import { checkIdentity, migrate } from "./migrate.ts";
import { Schema } from "./schema.ts";
import { sqliteStore } from "./store.ts";
import { type Patience, whileBusy } from "./transaction.ts";

export interface SqliteOptions {
  readonly file: string;
  readonly clock: Clock;
  /** Random numbers from 0 to 1. */
  readonly jitter: () => number;
  readonly lockHolders?: (file: string) => readonly number[];
  readonly storeUsers?: StoreUsers;
  readonly busyBudgetMs?: number;
  readonly driver?: SqliteDriver;
}

/** Older releases can corrupt the file when two connections write and checkpoint at once. */
const OLDEST_SAFE_SQLITE = [3, 51, 3] as const;
const BUSY_BUDGET_MS = 10_000;

export async function openSqliteStore(options: SqliteOptions): Promise<Store> {
  const { file, clock, jitter, lockHolders, busyBudgetMs: budgetMs = BUSY_BUDGET_MS } = options;
  const driver = options.driver ?? loadSqliteDriver();
  if (!isOpenHere(file)) assertLogFitsIndex(file, options.storeUsers);
  const connection = new Connection(driver, file);
  const patience: Patience = { budgetMs, jitter, lockHolders };
  try {
    const version = await prepare(connection, patience);
    connection.files.noteCompanions();
    return sqliteStore(connection, clock, new Schema(connection, patience, version));
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** The schema's version. Only a store that is new, or too old to be read, is upgraded; for others a change does that. */
async function prepare(connection: Connection, patience: Patience): Promise<number> {
  // Even this reads the file, and another opener may be switching its journal.
  await whileBusy(connection, patience, () => checkSqliteVersion(connection));
  // We wait by ourselves between attempts; see transaction.ts.
  setAndAssert(connection, "busy_timeout", "0", 0);
  // Before anything is written: a foreign or newer file stays as it is.
  const version = await whileBusy(connection, patience, () => checkIdentity(connection));
  await whileBusy(connection, patience, () => useWriteAheadLog(connection));
  await whileBusy(connection, patience, () => {
    connection.waitForDisk(true);
    setAndAssert(connection, "foreign_keys", "ON", 1);
    setAndAssert(connection, "trusted_schema", "OFF", 0);
    setAndAssert(connection, "cell_size_check", "ON", 1);
  });
  if (isReadable(version)) return version;
  await migrate(connection, patience);
  return NEWEST_VERSION;
}

function checkSqliteVersion(connection: Connection): void {
  const version = String(connection.value("SELECT sqlite_version()"));
  const parts = version.split(".").map(Number);
  for (const [index, oldest] of OLDEST_SAFE_SQLITE.entries()) {
    const part = parts[index] ?? 0;
    if (part > oldest) return;
    if (part < oldest) {
      throw storeFault("store_unsafe", `SQLite ${version} can damage a file that several processes write to.`, {
        next: `Use a Node with SQLite ${OLDEST_SAFE_SQLITE.join(".")} or newer.`,
        facts: { sqlite_version: version },
      });
    }
  }
}

/** The switch is written into the file once; it needs the file for itself, so another opener can be in the way. */
function useWriteAheadLog(connection: Connection): void {
  if (connection.value("PRAGMA journal_mode") === "wal") return;
  const mode = connection.value("PRAGMA journal_mode = WAL");
  if (mode === "wal") return;
  throw storeFault(
    "store_unsafe",
    `${connection.file} cannot use write-ahead logging; its journal mode is ${String(mode)}.`,
    {
      facts: { file: connection.file },
    },
  );
}
