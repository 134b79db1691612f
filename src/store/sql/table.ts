/**
 * One codec for each table: it names every field of a record once, and with it the column and how its value is stored.
 * A field's column has the field's name in snake_case unless `column` gives another one. A group is a record inside the
 * record; its columns stand beside the others.
 */
import { toSnakeCase } from "../../core/letter-case.ts";
import type { Instant } from "../../core/time.ts";
import { type Codec, finite, text } from "./codec.ts";
import { raw, type SqlRow, type SqlValue, type Statement } from "./statement.ts";

export type TableFields<T> = { readonly [Key in keyof T]-?: Codec<T[Key]> | Column<T[Key]> | Group<T[Key]> };

interface Column<T> {
  readonly column: string;
  readonly codec: Codec<T>;
}

interface Group<T> {
  readonly fields: TableFields<NonNullable<T>>;
  /** The group is null if all its columns are. */
  readonly maybe: boolean;
}

export function column<T>(name: string, codec: Codec<T>): Column<T> {
  return { column: name, codec };
}

export function group<T extends object>(fields: TableFields<T>): Group<T> {
  return { fields, maybe: false };
}

export function maybe<T extends object>(fields: TableFields<T>): Group<T | null> {
  return { fields, maybe: true };
}

const instantFields = (name: string): TableFields<Instant> => ({
  epoch: column(`${name}_epoch`, text),
  ms: column(`${name}_ms`, finite),
});

export const instant = (name: string): Group<Instant> => group(instantFields(name));
export const maybeInstant = (name: string): Group<Instant | null> => maybe(instantFields(name));

type AnyRecord = Record<string, unknown>;

interface WrittenColumn {
  readonly name: string;
  readonly write: (record: AnyRecord) => SqlValue;
}

interface Field {
  readonly key: string;
  readonly read: (row: SqlRow) => unknown;
  readonly columns: readonly WrittenColumn[];
}

/** The columns of some of a table's fields. */
export function columnsIn(fields: object): readonly string[] {
  const names: string[] = [];
  for (const [key, field] of Object.entries(fields as TableFields<AnyRecord>)) {
    if ("fields" in field) names.push(...columnsIn(field.fields));
    else names.push(columnOf(key, field));
  }
  return names;
}

function columnOf(key: string, field: Codec<unknown> | Column<unknown>): string {
  return "codec" in field ? field.column : toSnakeCase(key);
}

function compileAll(tableName: string, fields: object): readonly Field[] {
  return Object.entries(fields as TableFields<AnyRecord>).map(([key, field]) => {
    if ("fields" in field) return compileGroup(tableName, key, field);
    const name = columnOf(key, field);
    const codec = "codec" in field ? field.codec : field;
    const place = `${tableName}.${name}`;
    const write = codec.write ?? ((value: unknown) => value as SqlValue);
    return {
      key,
      read: (row) => codec(row[name], place),
      columns: [{ name, write: (record) => write(record[key]) }],
    };
  });
}

function compileGroup(tableName: string, key: string, { fields, maybe: mayBeNull }: Group<unknown>): Field {
  const inner = compileAll(tableName, fields);
  const columns = columnsOf(inner);
  const read = reader(inner);
  return {
    key,
    read: mayBeNull ? (row) => (columns.every(({ name }) => row[name] === null) ? null : read(row)) : read,
    columns: columns.map(({ name, write }) => ({
      name,
      write: ({ [key]: value }) => (value === null ? null : write(value as AnyRecord)),
    })),
  };
}

function columnsOf(fields: readonly Field[]): readonly WrittenColumn[] {
  return fields.flatMap(({ columns }) => columns);
}

/** Records are copies of one empty record: that is faster than to add their fields one by one. */
function reader(fields: readonly Field[]): (row: SqlRow) => AnyRecord {
  const empty = Object.fromEntries(fields.map(({ key }): [string, unknown] => [key, null]));
  return (row) => {
    const record = { ...empty };
    for (const { key, read } of fields) record[key] = read(row);
    return record;
  };
}

/**
 * `Written` is a record with all that must be known to write it, and `onlyWritten` has the columns that no field of the
 * record has. A table's fields are created and compiled when it is first used: most commands use few tables.
 */
export function table<T extends object, Written extends T = T>(
  tableName: string,
  key: readonly string[],
  fields: () => TableFields<T>,
  onlyWritten: Readonly<Record<string, (record: Written) => SqlValue>> = {},
) {
  const known = once(fields);
  const compiled = once(() => compileAll(tableName, known()));
  const read = once(() => reader(compiled()));
  // Without compiling: a select names the columns of tables that often have no row to read.
  const names = once(() => columnsIn(known()));
  const written = once(() => [
    ...Object.entries(onlyWritten).map(([name, write]) => ({ name, write: write as WrittenColumn["write"] })),
    ...columnsOf(compiled()),
  ]);
  const insertText = once(() => {
    const columns = written().map(({ name }) => name);
    return `INSERT INTO ${tableName} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`;
  });
  const upsertText = once(() => {
    const rest = written().filter(({ name }) => !key.includes(name));
    const overwriting = rest.map(({ name }) => `${name} = excluded.${name}`).join(", ");
    return `${insertText()} ON CONFLICT (${key.join(", ")}) DO UPDATE SET ${overwriting}`;
  });
  const values = (columns: readonly WrittenColumn[], record: Written) =>
    columns.map(({ write }) => write(record as AnyRecord));
  const lists = new Map<string, Statement>();
  return {
    /** The columns that `read` requires. */
    names,
    /** The same, as a list for a select that calls the table `alias`. */
    columns(alias = tableName): Statement {
      const listed =
        lists.get(alias) ??
        raw(
          names()
            .map((name) => `${alias}.${name}`)
            .join(", "),
        );
      lists.set(alias, listed);
      return listed;
    },
    read: (row: SqlRow): T => read()(row) as T,
    insert: (record: Written): Statement => ({ sql: insertText(), params: values(written(), record) }),
    /** Inserts the row, or overwrites the one with the same key. */
    upsert: (record: Written): Statement => ({ sql: upsertText(), params: values(written(), record) }),
    /** An update of these columns in the one row whose `where` columns have the values given. */
    update(columns: () => readonly string[], where: readonly string[]) {
      const set = once(() => {
        const changed = columns();
        return written().filter(({ name }) => changed.includes(name));
      });
      const updateText = once(() => {
        const assigned = set().map(({ name }) => `${name} = ?`);
        return `UPDATE ${tableName} SET ${assigned.join(", ")} WHERE ${where.map((name) => `${name} = ?`).join(" AND ")}`;
      });
      return (record: Written, keyValues: readonly SqlValue[]): Statement => ({
        sql: updateText(),
        params: [...values(set(), record), ...keyValues],
        mustTouchOne: true,
      });
    },
  };
}

function once<T>(create: () => T): () => T {
  let known: { readonly value: T } | null = null;
  return () => {
    known ??= { value: create() };
    return known.value;
  };
}
