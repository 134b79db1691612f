/** One SQL statement of the common dialect. Parameters are written `?`; PostgreSQL's `$1` is made from them once. */
export type SqlValue = string | number | null;

export interface Statement {
  readonly sql: string;
  readonly params: readonly SqlValue[];
  /** The statement is a guard: a store must refuse the whole change unless exactly one row was touched. */
  readonly mustTouchOne?: true;
  /** It must see what the statements before it have done, so it cannot be sent as one with them. */
  readonly inOrder?: true;
  /** What was sent along with the statement counts even if this one fails. */
  readonly mayFail?: true;
}

/**
 * The end of a select that takes so many rows. SQLite plans by the value of a bare `LIMIT ?`, so it compiles the
 * statement anew each time one is given; it does not look into a sum.
 */
export const LIMITED = "LIMIT 0 + ?";

export type SqlRow = Readonly<Record<string, unknown>>;

/** The columns of one row to write. Their order is the order of the text. */
export type RowValues = Readonly<Record<string, SqlValue>>;

export function insertInto(table: string, row: RowValues): Statement {
  const columns = Object.keys(row);
  const marks = columns.map(() => "?").join(", ");
  return { sql: `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${marks})`, params: Object.values(row) };
}

/** Inserts the row, or overwrites the one with the same key. */
export function upsertInto(table: string, key: readonly string[], row: RowValues): Statement {
  const { sql, params } = insertInto(table, row);
  const rest = Object.keys(row).filter((column) => !key.includes(column));
  const updates = rest.map((column) => `${column} = excluded.${column}`).join(", ");
  return { sql: `${sql} ON CONFLICT (${key.join(", ")}) DO UPDATE SET ${updates}`, params };
}

function assign(column: string): string {
  return `${column} = ?`;
}

export function update(table: string, row: RowValues, where: RowValues): Statement {
  const assignments = Object.keys(row).map(assign).join(", ");
  return {
    sql: `UPDATE ${table} SET ${assignments} WHERE ${Object.keys(where).map(assign).join(" AND ")}`,
    params: [...Object.values(row), ...Object.values(where)],
    mustTouchOne: true,
  };
}

/** Changes all rows that match, be it none. */
export function updateAll(table: string, row: RowValues, where: RowValues): Statement {
  const { sql, params } = update(table, row, where);
  return { sql, params };
}

export function deleteFrom(table: string, where: RowValues): Statement {
  const conditions = Object.keys(where).map(assign);
  return { sql: `DELETE FROM ${table} WHERE ${conditions.join(" AND ")}`, params: Object.values(where) };
}
