/** What is known about sessions, on PostgreSQL. A row that is to change is locked by its name, be it there or not. */
import { isSameRow, type Session, type SessionKey } from "../../domain/session/session.ts";
import { presentName } from "../sql/mail-load.ts";
import { readName } from "../sql/read-post.ts";
import { readSession, saveSession, selectSession, selectSessions, selectSessionsWithId } from "../sql/session-rows.ts";
import { COMMIT } from "./connection.ts";
import type { Database } from "./database.ts";
import { BEGIN, withRetry } from "./transaction.ts";

export async function changeSession(
  database: Database,
  { project, agentId }: SessionKey,
  change: (known: Session | null) => Session,
): Promise<boolean> {
  const key = { project, agentId: readName(await database.query(presentName(agentId))) };
  const changed = ([row]: readonly Record<string, unknown>[]): Session | null => {
    const known = row ? readSession(row) : null;
    const session = { ...change(known), ...key };
    return known && isSameRow(known, session) ? null : session;
  };
  if (changed(await database.query(selectSession(key))) === null) return false;
  return withRetry(database, async (session) => {
    const lock = { sql: "SELECT pg_advisory_xact_lock(hashtextextended(?, 0))", params: [lockName(key)] };
    const [, , rows = []] = await session.send([BEGIN, lock, selectSession(key)]);
    const now = changed(rows);
    if (now === null) await session.rollback();
    else await session.send([saveSession(now), COMMIT]);
    return now !== null;
  });
}

export async function readSessions(database: Database, project: string): Promise<readonly Session[]> {
  return (await database.query(selectSessions(project))).map(readSession);
}

export async function findSessions(database: Database, sessionId: string): Promise<readonly Session[]> {
  return (await database.query(selectSessionsWithId(sessionId))).map(readSession);
}

function lockName({ project, agentId }: SessionKey): string {
  return `talking-stick session ${agentId} of ${project}`;
}
