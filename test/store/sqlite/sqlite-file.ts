/** A SQLite store of one test's own, with a driver in between that the test can use to look, to fail and to count. */
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { asAgentId, asLeaseId, asNoteId, asRoomId } from "../../../src/core/ids.ts";
import { DEFAULT_POLICY } from "../../../src/core/policy.ts";
import type { ChangeOptions, Store } from "../../../src/engine/ports/store.ts";
import { begin } from "../../../src/room/rules/change.ts";
import { addNote } from "../../../src/room/rules/note.ts";
import { NO_EVIDENCE } from "../../../src/session/rules/decision-input.ts";
import { loadSqliteDriver, type SqliteDriver, type SqliteHandle } from "../../../src/store/sqlite/driver.ts";
import { openSqliteStore, type SqliteOptions } from "../../../src/store/sqlite/open.ts";
import { fakeClock } from "../../store-contract/fake-clock.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

export const driver = loadSqliteDriver();

export function newFile(): string {
  return join(temporaryDirectory(), "tt.db");
}

export async function openStore(file: string, options: Partial<SqliteOptions> = {}): Promise<Store> {
  const store = await openSqliteStore({ file, clock: fakeClock(), jitter: Math.random, ...options });
  onTestFinished(() => store.close());
  return store;
}

/** A plain connection, closed with the test. */
export function openHandle(file: string): SqliteHandle {
  const handle = driver(file);
  onTestFinished(() => handle.close());
  return handle;
}

/** Calls `before` ahead of every statement that runs, with its text and the connection it runs on. */
export function watchedDriver(before: (sql: string, handle: SqliteHandle) => void): SqliteDriver {
  return (file) => {
    const handle = driver(file);
    return {
      close: () => handle.close(),
      exec: (sql) => {
        before(sql, handle);
        handle.exec(sql);
      },
      prepare: (sql) => {
        const statement = handle.prepare(sql);
        const watched =
          <Args extends unknown[], Result>(run: (...args: Args) => Result) =>
          (...args: Args) => {
            before(sql, handle);
            return run(...args);
          };
        return {
          get: watched((...params) => statement.get(...params)),
          all: watched((...params) => statement.all(...params)),
          run: watched((...params) => statement.run(...params)),
        };
      },
    };
  };
}

/** An error as the drivers throw it. */
export function sqliteError(errcode: number, message = "it failed"): Error {
  return Object.assign(new Error(message), { code: "ERR_SQLITE_ERROR", errcode, errstr: message });
}

export const ROOM = {
  id: asRoomId("room"),
  host: "local",
  path: "/projects",
  project: "/projects",
  policy: DEFAULT_POLICY,
  createdAt: "2026-01-01T00:00:00.000Z",
};

export function makeRoom(store: Store) {
  return store.change({ host: "local", paths: ["/projects"], otherwise: ROOM }, ({ room }) => ({
    change: begin(room),
    answer: true,
  }));
}

let notes = 0;

/** A change that writes to every table but waits. */
export function note(store: Store, author?: string, options: ChangeOptions = {}) {
  notes += 1;
  const noteId = asNoteId(`note ${notes}`);
  const agentId = asAgentId(author ?? `claude:${notes}`);
  const caller = {
    agentId,
    harness: "claude",
    isPerson: false,
    process: null,
    sessionId: null,
    formerId: null,
    tmuxPane: null,
  };
  return store.change(
    { roomId: ROOM.id },
    ({ room, moment, handles }) =>
      addNote(
        room,
        { caller, moment, evidence: NO_EVIDENCE, commandId: noteId, freshLeaseId: asLeaseId("none") },
        handles,
        { noteId, body: "text", turnId: null },
      ),
    options,
  );
}
