/** What the server says about itself, in one statement that any role may run. */
import type { ServerSight } from "../../engine/ports/store.ts";
import { nullable, shape, text, truth, whole } from "../sql/codec.ts";
import { raw, type SqlRow, type Statement } from "../sql/statement.ts";
import { momentOf, NOW } from "./together.ts";

/** A role without further rights sees of the connections of others only the database and the program's name. */
export const SERVER_SIGHT: Statement = raw(`
  SELECT (${NOW.sql}), json_build_object(
    'version', current_setting('server_version'),
    'role', json_build_object('name', current_user,
      'isSuperuser', (SELECT rolsuper FROM pg_roles WHERE rolname = current_user)),
    'isEncrypted', (SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()),
    'connections', json_build_object('used', used, 'ours', ours, 'free',
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        - coalesce(current_setting('reserved_connections', true), '0')::int - used),
    'size', (SELECT row_to_json(size) FROM (
      SELECT coalesce(sum(pg_total_relation_size(relid)), 0)::bigint AS bytes,
        coalesce(sum(n_live_tup), 0)::bigint AS "liveRows", coalesce(sum(n_dead_tup), 0)::bigint AS "deadRows"
      FROM pg_stat_user_tables WHERE schemaname = current_schema()) AS size),
    'settings', json_build_object(
      'fsync', current_setting('fsync'),
      'fullPageWrites', current_setting('full_page_writes'),
      'autovacuum', current_setting('autovacuum'),
      'synchronousStandbys', current_setting('synchronous_standby_names')),
    'replicas', (SELECT count(*)::int FROM pg_stat_replication),
    'oldestTransaction', (SELECT row_to_json(oldest) FROM (
      SELECT pid, application_name AS program,
        (extract(epoch FROM clock_timestamp() - xact_start) * 1000)::bigint AS "ageMs"
      FROM pg_stat_activity
      WHERE datname = current_database() AND xact_start IS NOT NULL AND pid <> pg_backend_pid()
      ORDER BY xact_start LIMIT 1) AS oldest)
  ) AS sight
  FROM (
    SELECT count(*)::int AS used,
      count(*) FILTER (WHERE application_name LIKE 'talking-stick%')::int AS ours
    FROM pg_stat_activity WHERE datid IS NOT NULL
  ) AS connections`);

const sight = shape<Omit<ServerSight, "moment">>({
  version: text,
  role: shape<ServerSight["role"]>({ name: text, isSuperuser: truth }),
  isEncrypted: nullable(truth),
  connections: shape<ServerSight["connections"]>({ used: whole, ours: whole, free: whole }),
  size: shape<ServerSight["size"]>({ bytes: whole, liveRows: whole, deadRows: whole }),
  settings: shape<ServerSight["settings"]>({
    fsync: text,
    fullPageWrites: text,
    autovacuum: text,
    synchronousStandbys: text,
  }),
  replicas: whole,
  oldestTransaction: nullable(shape({ pid: whole, program: text, ageMs: whole })),
});

/** Behind a pooler the server sees only how the pooler reaches it, not whether the way to the pooler is encrypted. */
export function readServerSight(rows: readonly SqlRow[], isPooled: boolean): ServerSight {
  const seen = sight(rows[0]?.["sight"], "the server's words about itself");
  return { moment: momentOf(rows), ...seen, ...(isPooled && { isEncrypted: null }) };
}
