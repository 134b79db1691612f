/** What is known about sessions, on SQLite; see engine/ports/session-store.ts for the promises. */

import type { SessionStore } from "../../engine/ports/session-store.ts";
import { isSameRow, type Session, type SessionKey } from "../../session/rules/session.ts";
import { presentName } from "../sql/mail-load.ts";
import { readName } from "../sql/read-post.ts";
import { readSession, saveSession, selectSession, selectSessions, selectSessionsWithId } from "../sql/session-rows.ts";
import type { Connection } from "./connection.ts";
import type { SqliteParts } from "./parts.ts";

export class SqliteSessionStore implements SessionStore {
  readonly #parts: SqliteParts;

  constructor(parts: SqliteParts) {
    this.#parts = parts;
  }

  /** Looks first without the lock that only a writer needs: most of the time there is nothing to write. */
  async changeSession(key: SessionKey, change: (known: Session | null) => Session): Promise<boolean> {
    const { connection, schema, mark } = this.#parts;
    if ((await schema.read(() => changedSession(connection, key, change))) === null) return false;
    return schema.change(() => {
      connection.waitForDisk(true);
      return schema.transaction(() => {
        const session = changedSession(connection, key, change);
        if (session === null) return false;
        connection.run(saveSession(session));
        mark.changed();
        return true;
      });
    });
  }

  readSessions(project: string): Promise<readonly Session[]> {
    const { connection, schema } = this.#parts;
    return schema.read(() => connection.all(selectSessions(project)).map(readSession));
  }

  findSessions(sessionId: string): Promise<readonly Session[]> {
    const { connection, schema } = this.#parts;
    return schema.read(() => connection.all(selectSessionsWithId(sessionId)).map(readSession));
  }
}

/** The row as it is to be; null when it is so already. */
function changedSession(
  connection: Connection,
  { project, agentId }: SessionKey,
  change: (known: Session | null) => Session,
): Session | null {
  const key = { project, agentId: readName(connection.all(presentName(agentId))) };
  const row = connection.get(selectSession(key));
  const known = row ? readSession(row) : null;
  const session = { ...change(known), ...key };
  return known && isSameRow(known, session) ? null : session;
}
