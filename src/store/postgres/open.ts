/** Opens the store's schema, and the bell that shares its connections. */
import type { Bell } from "../../engine/ports/bell.ts";
import type { Store } from "../../engine/ports/store.ts";
import { openPostgresBell } from "./bell.ts";
import { Database } from "./database.ts";
import { PostgresSchema } from "./schema.ts";
import { postgresStore } from "./store.ts";
import type { Server } from "./tls.ts";

export interface PostgresOptions extends Server {
  readonly schema?: string;
  readonly budgetMs?: number;
  readonly preparedFromRun?: number;
  /** Random numbers from 0 to 1, so that waiting processes do not retry in step. */
  readonly jitter?: () => number;
}

const SCHEMA = "talking_stick";
const BUDGET_MS = 10_000;
/** The second one is for work beside a change that waits for a lock. */
const MAX_CONNECTIONS = 2;

export async function openPostgres(options: PostgresOptions): Promise<{ readonly store: Store; readonly bell: Bell }> {
  const database = new Database({ schema: SCHEMA, budgetMs: BUDGET_MS, maxConnections: MAX_CONNECTIONS, ...options });
  try {
    return { store: postgresStore(await PostgresSchema.open(database)), bell: openPostgresBell(database) };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** The store alone, without a bell. */
export async function openPostgresStore(options: PostgresOptions): Promise<Store> {
  return (await openPostgres(options)).store;
}
