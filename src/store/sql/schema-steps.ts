/**
 * What builds must know about the steps of the schema, for both databases. The texts of the steps are in each store's
 * `migrations`.
 *
 * A read never takes a step: it reads an older schema as if the missing steps had been taken. A change takes them first.
 * The store names the oldest build that may use it (`oldest_writer`, the newest step that such a build must know). Only
 * a damaging step raises that; after any other step, older builds continue to read and write.
 */

/** The step that this build's statements need. A test compares it with the number of texts. */
export const NEWEST_VERSION = 15;

/** An older schema is upgraded when it is opened, like a new store. No release had it. */
const OLDEST_READABLE = 8;

/** How a select names a table of the schema before a step. */
type OlderTable = (table: string) => string;

interface Step {
  /** A build that does not know the step would damage, or misread, what newer builds write. */
  readonly damaging?: true;
  /** For reads before the step: each table that it changes or adds, as a select over the tables from before. */
  readonly tablesBefore?: Readonly<Record<string, (older: OlderTable) => string>>;
}

/** By their numbers, the smallest first. */
type Steps = Readonly<Record<number, Step>>;

const STEPS: Steps = {
  // From here on builds obey `oldest_writer`. Earlier builds do not know it and refuse every newer schema.
  9: { damaging: true },
  // Older builds would acknowledge, or count as unread, mail that a hook has shown.
  10: {
    damaging: true,
    tablesBefore: {
      deliveries: (older) => `SELECT *, 0 AS shown FROM ${older("deliveries")}`,
      mailboxes: (older) => `SELECT *, 0 AS shown FROM ${older("mailboxes")}`,
      sessions: (older) => `SELECT *, CAST(NULL AS text) AS turn FROM ${older("sessions")}`,
    },
  },
  11: {
    tablesBefore: {
      sessions: (older) => `SELECT *, '[]' AS servers FROM ${older("sessions")}`,
    },
  },
  // Older builds would move the stick of a guarded room without the mark that ends its holder's pass.
  12: {
    damaging: true,
    tablesBefore: {
      rooms: (older) => `SELECT *, '[]' AS checks FROM ${older("rooms")}`,
    },
  },
  // Older builds would give the stick to an agent in a paused room, and cannot read the events of a pause.
  13: {
    damaging: true,
    tablesBefore: {
      rooms: (older) => `SELECT *, CAST(NULL AS text) AS paused, CAST(NULL AS text) AS given_by FROM ${older("rooms")}`,
    },
  },
  // Older builds cannot read the events that bring the evidence of a handoff.
  14: {
    damaging: true,
    tablesBefore: {
      rooms: (older) => `SELECT *, CAST(NULL AS integer) AS evidence_seq FROM ${older("rooms")}`,
    },
  },
  // Older builds cannot read the event of a takeover from a silent machine.
  15: { damaging: true },
};

/** What a store records about its schema. */
export interface SchemaState {
  readonly version: number;
  readonly oldestWriter: number;
}

export function mayUse({ oldestWriter }: SchemaState): boolean {
  return oldestWriter <= NEWEST_VERSION;
}

export function isReadable(version: number): boolean {
  return version >= OLDEST_READABLE;
}

/** The oldest build that may use the store after the step; null when the step does not change that. */
export function oldestWriterAfter(version: number, steps: Steps = STEPS): number | null {
  return steps[version]?.damaging ? version : null;
}

/**
 * The tables that a read of an older schema uses in place of the stored ones: the list of a WITH clause, whose names take
 * precedence over tables. Null when nothing differs. `place` is the schema with the stored tables.
 */
export function tablesForReads(version: number, place: string, steps: Steps = STEPS): string | null {
  const tables = new Map<string, string>();
  const missing = Object.entries(steps).filter(([step]) => Number(step) > version);
  for (const [, { tablesBefore = {} }] of missing) {
    const before = new Map(tables);
    const older: OlderTable = (table) => {
      const made = before.get(table);
      return made === undefined ? `${place}.${table}` : `(${made}) AS ${table}`;
    };
    for (const [table, select] of Object.entries(tablesBefore)) tables.set(table, select(older));
  }
  const list = [...tables].map(([table, select]) => `${table} AS NOT MATERIALIZED (${select})`);
  return list.length === 0 ? null : list.join(", ");
}

/** A select that reads these tables in place of those of the same names. */
export function readInstead(sql: string, tables: string): string {
  const [, recursive = "", rest] = /^WITH (RECURSIVE )?([^]*)$/.exec(sql) ?? [];
  return rest === undefined ? `WITH ${tables} ${sql}` : `WITH ${recursive}${tables}, ${rest}`;
}
