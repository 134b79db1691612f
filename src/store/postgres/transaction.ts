/** Transactions of one session, and trying again when two of them got in each other's way. */
import { sql } from "../sql/statement.ts";
import type { Database, Session } from "./database.ts";
import { isConflict } from "./faults.ts";

/** Whether it may write is the server's decision: to ask for it is an error of its own on a standby. */
export const BEGIN = sql`BEGIN ISOLATION LEVEL READ COMMITTED`;

/** A conflict means that somebody else got ahead, so a few attempts are enough for everybody to get through. */
const ATTEMPTS = 10;

/** Thrown by `work` itself: it has to begin again, because what it looked for has moved or it needs another lock first. */
export class Overtaken extends Error {}

/** Repeats what another transaction got in the way of. Whatever `work` throws, nothing of it stays. */
export async function withRetry<T>(database: Database, work: (session: Session) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await database.session((session) => orRollBack(session, work));
    } catch (error) {
      const conflict = error instanceof Overtaken || (error instanceof Error && isConflict(error.cause));
      if (!conflict || attempt >= ATTEMPTS) throw error;
    }
  }
}

async function orRollBack<T>(session: Session, work: (session: Session) => Promise<T>): Promise<T> {
  try {
    return await work(session);
  } catch (error) {
    await session.rollback();
    throw error;
  }
}
