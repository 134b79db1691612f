/** Transactions of one session, repeated when two of them are in conflict. */
import type { Database, PostgresSession } from "./database.ts";
import { isConflict } from "./faults.ts";

/** In a conflict another transaction succeeds, so a few attempts are enough for all of them. */
const ATTEMPTS = 10;

/** Thrown by `work` when it must begin again, because what it looked for has moved or it needs another lock first. */
export class Overtaken extends Error {}

/** Repeats work that was in conflict with another transaction. When `work` throws, its transaction is rolled back. */
export async function withRetry<T>(database: Database, work: (session: PostgresSession) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await database.session((session) => orRollBack(session, work));
    } catch (error) {
      const conflict = error instanceof Overtaken || (error instanceof Error && isConflict(error.cause));
      if (!conflict || attempt >= ATTEMPTS) throw error;
    }
  }
}

async function orRollBack<T>(session: PostgresSession, work: (session: PostgresSession) => Promise<T>): Promise<T> {
  try {
    return await work(session);
  } catch (error) {
    await session.rollback();
    throw error;
  }
}
