import { loadSqliteDriver, type SqliteDriver, type SqliteHandle } from "../../src/store/sqlite/driver.ts";

/** Told of each statement around its run. What it throws is what the caller of the statement gets. */
export interface StatementWatch {
  before?(sql: string, handle: SqliteHandle): void;
  after?(sql: string, handle: SqliteHandle): void;
}

/** The real driver with a test that watches it: to count, to fail, to stop or to die at a statement. */
export function watchedDriver(watch: StatementWatch, driver: SqliteDriver = loadSqliteDriver()): SqliteDriver {
  return (file) => {
    const handle = driver(file);
    const watched = <T>(sql: string, run: () => T): T => {
      watch.before?.(sql, handle);
      const result = run();
      watch.after?.(sql, handle);
      return result;
    };
    return {
      exec: (sql) => watched(sql, () => handle.exec(sql)),
      prepare: (sql) => {
        const statement = handle.prepare(sql);
        return {
          get: (...params) => watched(sql, () => statement.get(...params)),
          all: (...params) => watched(sql, () => statement.all(...params)),
          run: (...params) => watched(sql, () => statement.run(...params)),
        };
      },
      close: () => handle.close(),
    };
  };
}
