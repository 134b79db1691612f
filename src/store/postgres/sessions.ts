/** What is known about sessions, on PostgreSQL. A row that is to change is locked by its name, be it there or not. */
import { isSameRow, type Session, type SessionKey } from "../../session/rules/session.ts";
import { presentName } from "../sql/mail-load.ts";
import { readName } from "../sql/read-post.ts";
import { readSession, saveSession, selectSession, selectSessions, selectSessionsWithId } from "../sql/session-rows.ts";
import { COMMIT } from "./connection.ts";
import type { Schema } from "./schema.ts";

export async function changeSession(
  schema: Schema,
  { project, agentId }: SessionKey,
  change: (known: Session | null) => Session,
): Promise<boolean> {
  const key = { project, agentId: readName(await schema.query(presentName(agentId))) };
  const changed = ([row]: readonly Record<string, unknown>[]): Session | null => {
    const known = row ? readSession(row) : null;
    const session = { ...change(known), ...key };
    return known && isSameRow(known, session) ? null : session;
  };
  if (changed(await schema.query(selectSession(key))) === null) return false;
  return schema.change(async (session) => {
    const lock = { sql: "SELECT pg_advisory_xact_lock(hashtextextended(?, 0))", params: [lockName(key)] };
    const [, rows = []] = await session.begin([lock, selectSession(key)]);
    const now = changed(rows);
    if (now === null) await session.rollback();
    else await session.send([saveSession(now), COMMIT]);
    return now !== null;
  });
}

export async function readSessions(schema: Schema, project: string): Promise<readonly Session[]> {
  return (await schema.query(selectSessions(project))).map(readSession);
}

export async function findSessions(schema: Schema, sessionId: string): Promise<readonly Session[]> {
  return (await schema.query(selectSessionsWithId(sessionId))).map(readSession);
}

function lockName({ project, agentId }: SessionKey): string {
  return `talking-stick session ${agentId} of ${project}`;
}
