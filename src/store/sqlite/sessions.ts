/** What is known about sessions, on SQLite. Every function here runs inside a transaction of the store's. */
import { isSameRow, type Session, type SessionKey } from "../../domain/session/session.ts";
import { presentName } from "../sql/mail-load.ts";
import { readName } from "../sql/read-post.ts";
import { readSession, saveSession, selectSession, selectSessions } from "../sql/session-rows.ts";
import type { Connection } from "./connection.ts";

/** The row as it is to be; null when it is so already. */
export function changedSession(
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

export function writeSession(connection: Connection, session: Session): void {
  connection.run(saveSession(session));
}

export function loadSessions(connection: Connection, project: string): readonly Session[] {
  return connection.all(selectSessions(project)).map(readSession);
}
