/**
 * Upgrades a database to the newest schema, one numbered file after the other.
 *
 * The version is read again inside each migration's own write transaction: of many processes that open a new file at once,
 * one migrates and the others find it done. `application_id` marks the file as ours. A file with content that is not ours
 * is never touched.
 */
import { dirname } from "node:path";
import { ASK_PERSON_NEXT, Fault } from "../../core/fault.ts";
import { shellWord } from "../../core/shell-word.ts";
import { mayUse, NEWEST_VERSION, oldestWriterAfter } from "../sql/schema-steps.ts";
import type { SqliteConnection } from "./connection.ts";
import { storeFault } from "./faults.ts";
import type { Patience } from "./patience.ts";
import { readTransaction, whileBusy, writeTransaction } from "./transaction.ts";

/** "TStk" in ASCII. */
const APPLICATION_ID = 0x5453746b;

/** The schema's version, after making sure that the file is ours or empty. Changes nothing. */
export function checkIdentity(connection: SqliteConnection): number {
  return readTransaction(connection, () => identifiedVersion(connection));
}

/** Takes all missing steps. Their texts are long, and a store with the newest schema needs none of them. */
export async function migrate(connection: SqliteConnection, patience: Patience): Promise<void> {
  const { MIGRATIONS } = await import("./migrations.ts");
  while (await whileBusy(connection, patience, () => migrateOnce(connection, MIGRATIONS)));
  saveSchema(connection);
}

/** Programs leave the log in place. The database alone must still have the schema, and not look like a new file. */
function saveSchema(connection: SqliteConnection): void {
  try {
    connection.value("PRAGMA wal_checkpoint(PASSIVE)");
  } catch (error) {
    // The steps are in the log. Another process checkpoints, or the disk is full: a later commit reports a failure.
    if (!(error instanceof Fault)) throw error;
  }
}

/** One step; true when there is another one to take. */
function migrateOnce(connection: SqliteConnection, migrations: readonly string[]): boolean {
  return writeTransaction(connection, () => {
    const version = identifiedVersion(connection) + 1;
    const migration = migrations[version - 1];
    if (migration === undefined) return false;
    connection.exec(migration);
    const oldestWriter = oldestWriterAfter(version);
    if (oldestWriter !== null) connection.exec(`UPDATE oldest_writer SET version = ${oldestWriter}`);
    connection.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    connection.exec(`PRAGMA user_version = ${version}`);
    return version < migrations.length;
  });
}

/** Called inside a transaction, because another process may be opening the file at the same time. */
function identifiedVersion(connection: SqliteConnection): number {
  const { file } = connection;
  const applicationId = connection.value("PRAGMA application_id");
  const version = versionOf(connection);
  const isEmpty = applicationId === 0 && version === 0 && connection.value("SELECT count(*) FROM sqlite_schema") === 0;
  if (isEmpty) return 0;
  if (applicationId !== APPLICATION_ID) {
    throw storeFault("store_unsafe", `${file} is a database of another program.`, {
      next: `It was left as it is. Use another directory for the store: export TT_DATA_DIR=${shellWord(`${dirname(file)}-2`)} && tt install`,
      nextInHarness: ASK_PERSON_NEXT,
      facts: { file },
    });
  }
  assertUsable(connection, version);
  return version;
}

/** The newest step that the schema has taken. */
export function versionOf(connection: SqliteConnection): number {
  return Number(connection.value("PRAGMA user_version"));
}

/** Throws when only newer builds may use the store. */
export function assertUsable(connection: SqliteConnection, version: number): void {
  if (version <= NEWEST_VERSION) return;
  const oldestWriter = Number(connection.value("SELECT version FROM oldest_writer"));
  if (mayUse({ version, oldestWriter })) return;
  const { file } = connection;
  throw storeFault(
    "store_too_new",
    `The store ${file} has schema ${version} and needs a program that knows ${oldestWriter}; this one knows ${NEWEST_VERSION}.`,
    { facts: { file, schema: version, oldest_writer: oldestWriter, known_schema: NEWEST_VERSION } },
  );
}
