/**
 * SQL in the dialect that both databases share. Parameters are written `?`; the PostgreSQL connection numbers them.
 */
export type SqlValue = string | number | null;

export type SqlRow = Readonly<Record<string, unknown>>;

/** A statement, or a part of one. */
export interface Statement {
  readonly sql: string;
  readonly params: readonly SqlValue[];
  /** A guard: the store must refuse the whole change unless the statement touched exactly one row. */
  readonly mustTouchOne?: true;
  /** It must see the effect of the statements before it, so it cannot be merged with them into one. */
  readonly inOrder?: true;
  /** Its failure does not undo what was sent with it. */
  readonly mayFail?: true;
}

/** A text that was written before, with the parts that were put into it. */
interface KnownText {
  readonly parts: readonly string[];
  readonly text: string;
}

const MOST_TEXTS = 50;

/**
 * Texts by the template that they come from. Connections find a prepared statement by its text; only a text that stays the
 * same object is found without reading it to its end.
 */
const knownTexts = new WeakMap<TemplateStringsArray, KnownText[]>();

/** Writes SQL. A statement inside it becomes a part of the text; any other value becomes a parameter. */
export function sql(template: TemplateStringsArray, ...values: readonly (SqlValue | Statement)[]): Statement {
  const params: SqlValue[] = [];
  const parts: string[] = [];
  for (const value of values) {
    if (typeof value === "object" && value !== null) {
      params.push(...value.params);
      parts.push(value.sql);
    } else {
      params.push(value);
      parts.push("?");
    }
  }
  return { sql: textOf(template, parts), params };
}

function textOf(template: TemplateStringsArray, parts: readonly string[]): string {
  let known = knownTexts.get(template);
  if (known === undefined) {
    known = [];
    knownTexts.set(template, known);
  }
  for (const { parts: others, text } of known) if (parts.every((part, index) => part === others[index])) return text;
  const text = template.reduce((before, next, index) => `${before}${parts[index - 1]}${next}`);
  if (known.length < MOST_TEXTS) known.push({ parts, text });
  return text;
}

/** Text that this program wrote, such as the name of a column. */
export function raw(text: string): Statement {
  return { sql: text, params: [] };
}

export function join(statements: readonly Statement[], separator: string): Statement {
  return {
    sql: statements.map((statement) => statement.sql).join(separator),
    params: statements.flatMap(({ params }) => params),
  };
}

/** The inside of `IN (…)`; an empty list matches nothing. */
export function list(values: readonly SqlValue[]): Statement {
  return { sql: values.length === 0 ? "NULL" : marks(values.length), params: values };
}

const knownMarks: string[] = [];

function marks(count: number): string {
  const known = knownMarks[count] ?? Array.from({ length: count }, () => "?").join(", ");
  if (count < MOST_TEXTS) knownMarks[count] = known;
  return known;
}

/**
 * The end of a select that takes at most so many rows. SQLite plans by the value of a bare `LIMIT ?` and so compiles the
 * statement again for each value; it does not look into a sum. PostgreSQL would give the parameter the type of the sum's
 * other part, a small number.
 */
export function limit(rows: number): Statement {
  return sql`LIMIT 0 + CAST(${rows} AS BIGINT)`;
}

/** Rows by the value of one column. */
export function rowsBy(column: string, rows: readonly SqlRow[]): ReadonlyMap<unknown, readonly SqlRow[]> {
  const groups = new Map<unknown, SqlRow[]>();
  for (const row of rows) {
    const group = groups.get(row[column]);
    if (group) group.push(row);
    else groups.set(row[column], [row]);
  }
  return groups;
}
