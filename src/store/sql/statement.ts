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
 * statement anew each time one is given; it does not look into a sum. PostgreSQL gives the sum the type of the 0, a
 * small integer, unless the parameter has a larger one.
 */
export const LIMITED = "LIMIT 0 + CAST(? AS bigint)";

/** For as many values in a list; an empty one matches nothing. */
export function marks(values: readonly unknown[]): string {
  return values.length === 0 ? "NULL" : values.map(() => "?").join(", ");
}

export type SqlRow = Readonly<Record<string, unknown>>;

/** The columns of one row to write. Their order is the order of the text. */
export type RowValues = Readonly<Record<string, SqlValue>>;

/** Makes a text once for each of its forms, of which there are few, for the same reason as below. */
export function madeOnce(write: (form: string) => string): (form: string) => string {
  const known = new Map<string, string>();
  return (form) => {
    const before = known.get(form);
    if (before !== undefined) return before;
    const text = write(form);
    if (known.size < MOST_FORMS) known.set(form, text);
    return text;
  };
}

const MOST_FORMS = 200;

/**
 * The texts of one kind of statement by table and columns. Whoever keeps prepared statements finds them by their text,
 * and a text that was made anew would have to be read from end to end for that.
 */
class Texts {
  readonly #known = new Map<string, { readonly columns: readonly string[]; readonly sql: string }[]>();

  of(table: string, columns: readonly string[], write: () => string): string {
    const known = this.#known.get(table) ?? [];
    const same = known.find(
      (text) => text.columns.length === columns.length && columns.every((name, place) => name === text.columns[place]),
    );
    if (same) return same.sql;
    const sql = write();
    this.#known.set(table, [...known, { columns, sql }]);
    return sql;
  }
}

const [inserts, upserts, updates] = [new Texts(), new Texts(), new Texts()];

export function insertInto(table: string, row: RowValues): Statement {
  const columns = Object.keys(row);
  return { sql: inserts.of(table, columns, () => insertText(table, columns)), params: Object.values(row) };
}

function insertText(table: string, columns: readonly string[]): string {
  return `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`;
}

/** Inserts the row, or overwrites the one with the same key. */
export function upsertInto(table: string, key: readonly string[], row: RowValues): Statement {
  const columns = Object.keys(row);
  const sql = upserts.of(table, columns, () => {
    const rest = columns.filter((column) => !key.includes(column));
    const overwriting = rest.map((column) => `${column} = excluded.${column}`).join(", ");
    return `${insertText(table, columns)} ON CONFLICT (${key.join(", ")}) DO UPDATE SET ${overwriting}`;
  });
  return { sql, params: Object.values(row) };
}

function assign(column: string): string {
  return `${column} = ?`;
}

export function update(table: string, row: RowValues, where: RowValues): Statement {
  const [columns, conditions] = [Object.keys(row), Object.keys(where)];
  return {
    sql: updates.of(
      table,
      [...columns, "where", ...conditions],
      () => `UPDATE ${table} SET ${columns.map(assign).join(", ")} WHERE ${conditions.map(assign).join(" AND ")}`,
    ),
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
