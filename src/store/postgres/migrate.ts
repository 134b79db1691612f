/**
 * Brings the schema to its newest version, one numbered file after the other, under a lock that only migrations
 * take. Of many processes that open a new schema at once, one migrates and the others find it done.
 */
import { whole } from "../sql/decode.ts";
import { COMMIT } from "./connection.ts";
import type { Database, Session } from "./database.ts";
import { storeFault } from "./faults.ts";
import rooms from "./migrations/001-rooms.sql";
import mail from "./migrations/002-mail.sql";
import sessions from "./migrations/003-sessions.sql";
import harness from "./migrations/004-harness.sql";
import waits from "./migrations/005-waits.sql";
import wakes from "./migrations/006-wakes.sql";
import comers from "./migrations/007-comers.sql";
import departures from "./migrations/008-departures.sql";
import shown from "./migrations/010-shown.sql";
import { BEGIN } from "./transaction.ts";

const MIGRATIONS: readonly string[] = [rooms, mail, sessions, harness, waits, wakes, comers, departures, shown];

export async function migrate(database: Database): Promise<void> {
  const { schema } = database.options;
  await database.session(async (session) => {
    if ((await schemaVersion(session, schema)) === MIGRATIONS.length) return;
    try {
      await session.send([BEGIN, migrationLock(schema)]);
      // A role that was given a schema may not be allowed to make one, not even if it exists.
      if (await isMissing(session, "to_regnamespace", schema)) await session.script(`CREATE SCHEMA ${schema}`);
      await session.script("CREATE TABLE IF NOT EXISTS schema_version (version integer NOT NULL)");
      // Looked at again under the lock: another process may have been faster.
      const version = await schemaVersion(session, schema);
      for (const migration of MIGRATIONS.slice(version)) await session.script(migration);
      await session.script(`DELETE FROM schema_version; INSERT INTO schema_version VALUES (${MIGRATIONS.length})`);
      await session.send([COMMIT]);
    } catch (error) {
      await session.rollback();
      throw error;
    }
  });
}

function migrationLock(schema: string) {
  return { sql: "SELECT pg_advisory_xact_lock(hashtextextended(?, 0))", params: [`talking-stick migrates ${schema}`] };
}

async function isMissing(session: Session, lookUp: "to_regclass" | "to_regnamespace", name: string): Promise<boolean> {
  const [[row] = []] = await session.send([{ sql: `SELECT ${lookUp}(?) IS NULL AS missing`, params: [name] }]);
  return row?.["missing"] !== false;
}

async function schemaVersion(session: Session, schema: string): Promise<number> {
  if (await isMissing(session, "to_regclass", `${schema}.schema_version`)) return 0;
  const [[row] = []] = await session.send([{ sql: "SELECT max(version) AS version FROM schema_version", params: [] }]);
  const version = whole(row?.["version"] ?? 0, "schema_version.version");
  if (version <= MIGRATIONS.length) return version;
  throw storeFault(
    "store_too_new",
    `The store's schema ${schema} has version ${version}; this program knows ${MIGRATIONS.length}.`,
    { facts: { schema, version, known_version: MIGRATIONS.length } },
  );
}
