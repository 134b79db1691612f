/** Everything a database holds, in two readings: exactly, and without what differs from run to run. */

import type { SqlRow } from "../../src/store/sql/statement.ts";
import { loadSqliteDriver, type SqliteHandle } from "../../src/store/sqlite/driver.ts";

export type Tables = Readonly<Record<string, readonly SqlRow[]>>;

export interface Dump {
  readonly schema: readonly SqlRow[];
  readonly tables: Tables;
  readonly version: unknown;
  /** What SQLite's own checks say: "ok", and no broken reference. */
  readonly integrity: unknown;
  readonly brokenReferences: number;
}

export function withDatabase<T>(file: string, look: (handle: SqliteHandle) => T): T {
  const handle = loadSqliteDriver()(file);
  // A process that had it open before may still be closing it.
  handle.exec("PRAGMA busy_timeout = 10000");
  try {
    return look(handle);
  } finally {
    handle.close();
  }
}

export function dumpDatabase(file: string): Dump {
  return withDatabase(file, (handle) => {
    const rows = (sql: string): readonly SqlRow[] =>
      handle
        .prepare(sql)
        .all()
        .map((row) => ({ ...row }));
    const value = (pragma: string) => Object.values(rows(`PRAGMA ${pragma}`)[0] ?? {})[0];
    handle.exec("BEGIN");
    const schema = rows("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name");
    const names = schema.filter((entry) => entry["type"] === "table").map((entry) => String(entry["name"]));
    const tables = Object.fromEntries(names.map((name) => [name, rows(`SELECT * FROM ${name}`)]));
    const dump = {
      schema,
      tables,
      version: value("user_version"),
      integrity: value("integrity_check"),
      brokenReferences: rows("PRAGMA foreign_key_check").length,
    };
    handle.exec("ROLLBACK");
    return dump;
  });
}

const RANDOM_ID = /(?<=\b|ttlease_)[0-9a-z]{25}\b/g;
const WALL_TIME = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;

/**
 * The same for two runs of the same calls: random ids become numbers in the order they first appear in, times and
 * processes are left out.
 */
export function comparable(tables: Tables): Tables {
  const ids = new Map<string, string>();
  const idNumber = (id: string) => {
    const known = ids.get(id) ?? `id${ids.size + 1}`;
    ids.set(id, known);
    return known;
  };
  const plain = (column: string, value: unknown) => {
    if (column.endsWith("_ms")) return value === null ? null : "ms";
    if (column === "process" || column === "caller") return value === null ? null : "process";
    return typeof value === "string" ? value.replace(WALL_TIME, "time").replace(RANDOM_ID, idNumber) : value;
  };
  // Rows are in the order of their ids, which are random; the log alone has an order that means something.
  const { events = [], ...others } = tables;
  const plainRows = (rows: readonly SqlRow[]) =>
    rows.map((row) => Object.fromEntries(Object.entries(row).map(([column, value]) => [column, plain(column, value)])));
  const log = plainRows(events);
  const rest = Object.entries(others).map(([name, rows]) => [
    name,
    plainRows(rows).toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b))),
  ]);
  return { events: log, ...Object.fromEntries(rest) };
}
