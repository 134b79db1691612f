/**
 * Opens the store's file and reads back the settings that the promises depend on. The file itself was created and checked
 * before (platform/files/data-directory.ts); SQLite gives its companions the same mode and owner.
 */
import type { Clock } from "../../engine/ports/clock.ts";
import type { Store } from "../../engine/ports/store.ts";
import { isReadable, NEWEST_VERSION } from "../sql/schema-steps.ts";
import { mayBeOpenHere, SqliteConnection, setAndAssert } from "./connection.ts";
import { loadSqliteDriver, type SqliteDriver } from "./driver.ts";
import { type FindForbidden, storeFault } from "./faults.ts";
import { assertLogFitsIndex, type StoreUsers } from "./log-fits-index.ts";
import { checkIdentity, migrate } from "./migrate.ts";
import type { Patience } from "./patience.ts";
import { SqliteSchema } from "./schema.ts";
import { sqliteStore } from "./store.ts";
import { whileBusy } from "./transaction.ts";

export interface SqliteOptions {
  readonly file: string;
  readonly clock: Clock;
  /** Random numbers from 0 to 1. */
  readonly jitter: () => number;
  readonly lockHolders?: (file: string) => readonly number[];
  readonly storeUsers?: StoreUsers;
  readonly findForbidden?: FindForbidden;
  /** How long to wait for the lock; see patience.ts. */
  readonly busyBudgetMs?: number;
  /** How long to wait while other processes commit. If only a budget is given, that is the limit. */
  readonly busyLimitMs?: number;
  readonly driver?: SqliteDriver;
  /** For a process that ends as soon as the store is closed; see connection.ts. */
  readonly leavesLog?: boolean;
}

/** Older releases can corrupt the file when two connections write and checkpoint at once. */
const OLDEST_SAFE_SQLITE = [3, 51, 3] as const;
const BUSY_BUDGET_MS = 10_000;
const BUSY_LIMIT_MS = 40_000;

export async function openSqliteStore(options: SqliteOptions): Promise<Store> {
  const { file, clock, jitter, lockHolders, busyBudgetMs: budgetMs = BUSY_BUDGET_MS } = options;
  const driver = options.driver ?? loadSqliteDriver();
  const lacksChanges = !mayBeOpenHere(file) && assertLogFitsIndex(file, options.storeUsers);
  const connection = new SqliteConnection(driver, file, options);
  const limitMs = options.busyLimitMs ?? options.busyBudgetMs ?? BUSY_LIMIT_MS;
  const patience: Patience = { budgetMs, limitMs, jitter, lockHolders };
  try {
    const version = await prepare(connection, patience);
    connection.files.noteCompanions();
    const store = sqliteStore(connection, clock, new SqliteSchema(connection, patience, version));
    return lacksChanges ? { ...store, lacksChanges } : store;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** The schema's version. Upgrades only a store that is new, or too old to be read; the first change upgrades others. */
async function prepare(connection: SqliteConnection, patience: Patience): Promise<number> {
  const version = await whileBusy(connection, patience, () => {
    checkSqliteVersion(connection);
    // The waiting is done between attempts; see transaction.ts.
    setAndAssert(connection, "busy_timeout", "0", 0);
    // Before anything is written, so that a foreign or newer file stays as it is.
    const found = checkIdentity(connection);
    useWriteAheadLog(connection);
    connection.waitForDisk(true);
    setAndAssert(connection, "foreign_keys", "ON", 1);
    setAndAssert(connection, "trusted_schema", "OFF", 0);
    setAndAssert(connection, "cell_size_check", "ON", 1);
    return found;
  });
  if (isReadable(version)) return version;
  await migrate(connection, patience);
  return NEWEST_VERSION;
}

function checkSqliteVersion(connection: SqliteConnection): void {
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

/** The switch is written into the file once. It needs exclusive access, so another process that opens the file can block it. */
function useWriteAheadLog(connection: SqliteConnection): void {
  if (connection.value("PRAGMA journal_mode") === "wal") return;
  const mode = connection.value("PRAGMA journal_mode = WAL");
  if (mode === "wal") return;
  const { file } = connection;
  const message = `${file} cannot use write-ahead logging; its journal mode is ${String(mode)}.`;
  throw storeFault("store_unsafe", message, { facts: { file } });
}
