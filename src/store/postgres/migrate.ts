/**
 * Upgrades the schema to its newest version, one numbered file after the other, under a lock that only migrations take.
 * Of many processes that open a new schema at once, one migrates and the others find it done. The table with the version
 * is locked too: every change reads it first, so no change is under way during a migration.
 */
import { Fault } from "../../core/fault.ts";
import { nullable, whole } from "../sql/codec.ts";
import { mayUse, NEWEST_VERSION, oldestWriterAfter, type SchemaState } from "../sql/schema-steps.ts";
import { raw, type SqlRow, sql } from "../sql/statement.ts";
import { BEGIN, COMMIT } from "./connection.ts";
import type { Database, PostgresSession } from "./database.ts";
import { isMissingTable, storeFault } from "./faults.ts";
import rooms from "./migrations/001-rooms.sql";
import mail from "./migrations/002-mail.sql";
import sessions from "./migrations/003-sessions.sql";
import harness from "./migrations/004-harness.sql";
import waits from "./migrations/005-waits.sql";
import wakes from "./migrations/006-wakes.sql";
import comers from "./migrations/007-comers.sql";
import departures from "./migrations/008-departures.sql";
import oldestWriter from "./migrations/009-oldest-writer.sql";
import shown from "./migrations/010-shown.sql";
import servers from "./migrations/011-servers.sql";
import checks from "./migrations/012-checks.sql";
import paused from "./migrations/013-paused.sql";
import evidence from "./migrations/014-evidence.sql";
import hosts from "./migrations/015-hosts.sql";
import { SCHEMA_NEXT } from "./sql-states.ts";
import { withRetry } from "./transaction.ts";

export const MIGRATIONS: readonly string[] = [
  rooms,
  mail,
  sessions,
  harness,
  waits,
  wakes,
  comers,
  departures,
  oldestWriter,
  shown,
  servers,
  checks,
  paused,
  evidence,
  hosts,
];

/** As JSON, because an older schema has fewer columns. A statement with a parameter is prepared. */
export const STATE = sql`SELECT to_json(s) AS state FROM schema_version s WHERE version > ${0}`;

/** The schema's version, after making sure that this build may use it; 0 when there is none. Changes nothing. */
export async function findVersion(database: Database): Promise<number> {
  const { schema } = database.options;
  return database.session(async (session) => {
    try {
      const [rows = []] = await session.send([STATE]);
      return usableVersion(rows, schema);
    } catch (error) {
      if (!(error instanceof Fault && isMissingTable(error.cause))) throw error;
      // Missing, or not for this role to see, which is told here.
      return versionIn(session, schema);
    }
  });
}

export async function migrate(database: Database): Promise<void> {
  const { schema } = database.options;
  await withRetry(database, async (session) => {
    const lock = sql`SELECT pg_advisory_xact_lock(hashtextextended(${`talking-stick migrates ${schema}`}, 0))`;
    await session.send([BEGIN, lock]);
    // A role that was given a schema may lack the right to create one, even one that exists.
    if (await isMissing(session, "to_regnamespace", schema)) await session.script(`CREATE SCHEMA ${schema}`);
    await session.script("CREATE TABLE IF NOT EXISTS schema_version (version integer NOT NULL)");
    await session.script("LOCK TABLE schema_version IN ACCESS EXCLUSIVE MODE");
    // Read again under the lock: another process may have been faster.
    const before = await versionIn(session, schema);
    if (before === 0) await session.script("INSERT INTO schema_version VALUES (0)");
    for (const [index, migration] of MIGRATIONS.entries()) {
      const version = index + 1;
      if (version <= before) continue;
      const oldest = oldestWriterAfter(version);
      const raise = oldest === null ? "" : `, oldest_writer = ${oldest}`;
      await session.script(migration);
      await session.script(`UPDATE schema_version SET version = ${version}${raise}`);
    }
    await session.send([COMMIT]);
  });
}

async function isMissing(
  session: PostgresSession,
  lookUp: "to_regclass" | "to_regnamespace",
  name: string,
): Promise<boolean> {
  const [[row] = []] = await session.send([sql`SELECT ${raw(lookUp)}(${name}) IS NULL AS missing`]);
  return row?.["missing"] !== false;
}

async function versionIn(session: PostgresSession, schema: string): Promise<number> {
  if (await isMissing(session, "to_regclass", `${schema}.schema_version`)) return 0;
  const [rows = []] = await session.send([STATE]);
  return usableVersion(rows, schema);
}

/** Throws when only newer builds may use the store. */
export function usableVersion(rows: readonly SqlRow[], schema: string): number {
  const found = stateIn(rows);
  if (found.version <= NEWEST_VERSION || mayUse(found)) return found.version;
  const { version, oldestWriter: oldest } = found;
  throw storeFault(
    "store_too_new",
    `The store's schema ${schema} has version ${version} and needs a program that knows ${oldest}; this one knows ${NEWEST_VERSION}.`,
    { facts: { schema, version, oldest_writer: oldest, known_version: NEWEST_VERSION } },
  );
}

function stateIn(rows: readonly SqlRow[]): SchemaState {
  const state = (rows[0]?.["state"] ?? {}) as SqlRow;
  const { version = 0 } = state;
  if (typeof version !== "number")
    throw storeFault("store_unsafe", "The store's schema has a table schema_version that is not of this program.", {
      next: SCHEMA_NEXT,
    });
  return {
    version: whole(version, "schema_version.version"),
    oldestWriter: nullable(whole)(state["oldest_writer"] ?? null, "schema_version.oldest_writer") ?? 0,
  };
}
