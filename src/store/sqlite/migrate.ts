/**
 * Brings a database to the newest schema, one numbered file after the other.
 *
 * The version is looked at again inside each migration's own write transaction: of many processes that open a
 * new file at once, one migrates and the others find it done. `application_id` marks the file as ours; a file
 * that has something in it and is not ours is never touched.
 */
import type { Connection } from "./connection.ts";
import { storeFault } from "./faults.ts";
import { readTransaction, writeTransaction } from "./transaction.ts";

/** "TStk" in ASCII. */
const APPLICATION_ID = 0x5453746b;

/** How many steps there are. Their texts are long, and a store that is at the newest needs none of them. */
export const NEWEST_VERSION = 9;

/** The schema's version, after making sure that the file is ours or empty. Changes nothing. */
export function checkIdentity(connection: Connection): number {
  return readTransaction(connection, () => schemaVersion(connection));
}

/** One step; true when there is another one to take. */
export function migrateOnce(connection: Connection, migrations: readonly string[]): boolean {
  return writeTransaction(connection, () => {
    const version = schemaVersion(connection);
    const migration = migrations[version];
    if (migration === undefined) return false;
    connection.exec(migration);
    connection.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    connection.exec(`PRAGMA user_version = ${version + 1}`);
    return version + 1 < migrations.length;
  });
}

export function isNewest(version: number): boolean {
  return version === NEWEST_VERSION;
}

/** Called inside a transaction, because another opener may be at work between two looks. */
function schemaVersion(connection: Connection): number {
  const { file } = connection;
  const applicationId = connection.value("PRAGMA application_id");
  const version = Number(connection.value("PRAGMA user_version"));
  const isEmpty = applicationId === 0 && version === 0 && connection.value("SELECT count(*) FROM sqlite_schema") === 0;
  if (isEmpty) return 0;
  if (applicationId !== APPLICATION_ID) {
    throw storeFault("store_unsafe", `${file} is a database of another program.`, {
      next: "Name another file for the store; this one was left as it is.",
      facts: { file },
    });
  }
  if (version > NEWEST_VERSION) {
    throw storeFault(
      "store_too_new",
      `The store ${file} has schema ${version}; this program knows ${NEWEST_VERSION}.`,
      { facts: { file, schema: version, known_schema: NEWEST_VERSION } },
    );
  }
  return version;
}
