/**
 * Loads SQLite: Node's own module if this Node has one, else a package with the same interface. Tests put their own driver
 * in between, to fail or to die at a chosen statement.
 */

import { Fault } from "../../core/fault.ts";
import type { SqlRow, SqlValue } from "../sql/statement.ts";
import { loader, loadNativePart, PACKAGE } from "./packaged-driver.ts";

export interface SqliteStatement {
  get(...params: SqlValue[]): SqlRow | undefined;
  all(...params: SqlValue[]): SqlRow[];
  run(...params: SqlValue[]): { readonly changes: number | bigint };
}

export interface SqliteHandle {
  exec(sql: string): void;
  prepare(sql: string): SqliteStatement;
  close(): void;
}

export type SqliteDriver = (file: string) => SqliteHandle;

export interface SqliteModule {
  readonly DatabaseSync: new (file: string, options?: { readonly readOnly: boolean }) => SqliteHandle;
}

const FIRST_WITH_SQLITE = 22;

export function loadSqliteDriver(): SqliteDriver {
  const { DatabaseSync } = builtinModule() ?? packagedModule();
  return (file) => new DatabaseSync(file);
}

/** For the database of another program: it cannot write. */
export function openReadOnlyDatabase(file: string): SqliteHandle {
  const { DatabaseSync } = builtinModule() ?? packagedModule();
  return new DatabaseSync(file, { readOnly: true });
}

/** Undefined if this Node has no SQLite, or only behind a flag. */
function builtinModule(): SqliteModule | undefined {
  // No release before that has it, and looking for it takes a tenth of a millisecond.
  if (Number.parseInt(process.versions.node, 10) < FIRST_WITH_SQLITE) return undefined;
  return withoutExperimentalWarning(() => process.getBuiltinModule("node:sqlite")) as unknown as
    | SqliteModule
    | undefined;
}

function packagedModule(): SqliteModule {
  try {
    return loadNativePart() ?? (loader()(PACKAGE) as SqliteModule);
  } catch (cause) {
    throw new Fault("store_unreachable", "This Node has no SQLite, and the package that brings one is missing.", {
      next: `Use Node 22.13 or newer, or install ${PACKAGE}.`,
      retry: false,
      cause,
    });
  }
}

/** Older releases warn when they load the module. The warning is about Node, and a user of ours cannot act on it. */
function withoutExperimentalWarning<T>(load: () => T): T {
  const emitWarning = process.emitWarning.bind(process);
  const filtered = (warning: string | Error, ...rest: unknown[]) => {
    const [type] = rest;
    const name = typeof type === "object" && type !== null ? (type as { type?: unknown }).type : type;
    if (name !== "ExperimentalWarning") Reflect.apply(emitWarning, process, [warning, ...rest]);
  };
  process.emitWarning = filtered;
  try {
    return load();
  } finally {
    process.emitWarning = emitWarning;
  }
}
