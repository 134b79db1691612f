/**
 * Which machines were heard of, and when, by the server's clock. These writes have no event: they do not wait for the
 * disk or for a standby. A note that was lost, by a power failure or a failover, is noticed by the next renewal.
 */
import { type BootRef, processKey } from "../../core/process.ts";
import type { HostRegister } from "../../engine/ports/store.ts";
import { GAP_MS } from "../../session/rules/host-silence.ts";
import { finite, text, truth } from "../sql/codec.ts";
import { list, raw, type SqlRow, type Statement, sql } from "../sql/statement.ts";
import type { PostgresSchema } from "./schema.ts";

const DAY_MS = 86_400_000;
/** A boot that was not heard of for so long is forgotten. */
const FORGET_AFTER_MS = 7 * DAY_MS;

/** Set in the same statement, it holds for the commit of that statement. */
const SOON = raw("soon AS (SELECT set_config('synchronous_commit', 'off', true))");
const CLOCK = raw("(SELECT (extract(epoch FROM clock_timestamp()) * 1000)::double precision AS now_ms) AS clock");
const NOW_MS = raw("(extract(epoch FROM statement_timestamp()) * 1000)::double precision");

export function postgresHosts(schema: PostgresSchema): HostRegister {
  const all = async (statement: Statement) => (schema.isUpToDate ? schema.query(statement) : []);
  return {
    async begin(process, name) {
      const rows = await all(begin(process, processKey(process), name));
      return rows.map((row) => text(row["process"], "host_keepers.process"));
    },
    async renew(process, freshMs) {
      const [row] = await all(renew(process, processKey(process), freshMs));
      return row ? finite(row["heard_ms_ago"], "hosts.heard_ms") : null;
    },
    end: async (boot, keys) => void (await all(end(boot, keys))),
    read: async () => (await all(READ)).map(readHost),
  };
}

/** The answer has the processes from before. */
function begin({ host, bootId }: BootRef, key: string, name: string): Statement {
  return sql`WITH ${SOON}, old AS (DELETE FROM hosts WHERE heard_ms < ${NOW_MS} - ${FORGET_AFTER_MS}),
      left_over AS (DELETE FROM host_keepers WHERE since_ms < ${NOW_MS} - ${FORGET_AFTER_MS}),
      heard AS (
        INSERT INTO hosts (host, boot_id, name, heard_ms, unbroken_ms)
        SELECT ${host}, ${bootId}, ${name}, now_ms, now_ms FROM soon, ${CLOCK}
        ON CONFLICT (host, boot_id) DO UPDATE SET name = excluded.name, heard_ms = excluded.heard_ms, unbroken_ms =
          CASE WHEN hosts.heard_ms < excluded.heard_ms - ${GAP_MS} THEN excluded.heard_ms ELSE hosts.unbroken_ms END),
      mine AS (
        INSERT INTO host_keepers (host, boot_id, process, since_ms) VALUES (${host}, ${bootId}, ${key}, ${NOW_MS})
        ON CONFLICT (host, boot_id, process) DO NOTHING)
    SELECT process FROM host_keepers WHERE host = ${host} AND boot_id = ${bootId} ORDER BY process`;
}

/** If there is no row to change, no transaction gets a number, and no waiter sees a change. */
function renew({ host, bootId }: BootRef, key: string, freshMs: number): Statement {
  return sql`WITH ${SOON}, renewed AS (
      UPDATE hosts SET heard_ms = now_ms,
        unbroken_ms = CASE WHEN heard_ms < now_ms - ${GAP_MS} THEN now_ms ELSE unbroken_ms END
      FROM soon, ${CLOCK}
      WHERE host = ${host} AND boot_id = ${bootId} AND heard_ms < now_ms - ${freshMs}
      RETURNING 1)
    SELECT CASE WHEN EXISTS (SELECT FROM renewed) THEN 0 ELSE greatest(now_ms - heard_ms, 0) END AS heard_ms_ago
    FROM hosts JOIN host_keepers USING (host, boot_id), ${CLOCK}
    WHERE host = ${host} AND boot_id = ${bootId} AND process = ${key}`;
}

function end({ host, bootId }: BootRef, keys: readonly string[]): Statement {
  return sql`WITH ${SOON} DELETE FROM host_keepers USING soon
    WHERE host = ${host} AND boot_id = ${bootId} AND process IN (${list(keys)})`;
}

const READ = sql`SELECT h.host, h.boot_id, h.name, h.heard_ms, h.unbroken_ms,
  EXISTS (SELECT 1 FROM host_keepers k WHERE k.host = h.host AND k.boot_id = h.boot_id) AS is_kept
  FROM hosts h ORDER BY h.heard_ms DESC, h.boot_id`;

function readHost(row: SqlRow) {
  return {
    host: text(row["host"], "hosts.host"),
    bootId: text(row["boot_id"], "hosts.boot_id"),
    name: text(row["name"], "hosts.name"),
    heard: { epoch: "postgres", ms: finite(row["heard_ms"], "hosts.heard_ms") },
    unbroken: { epoch: "postgres", ms: finite(row["unbroken_ms"], "hosts.unbroken_ms") },
    isKept: truth(row["is_kept"], "host_keepers"),
  };
}
