/** Opens the store's schema and makes sure, by reading back, that the server keeps what we promise. */
import type { Store } from "../../ports/store.ts";
import { Database } from "./database.ts";
import { storeFault } from "./faults.ts";
import { migrate } from "./migrate.ts";
import { PostgresStore } from "./store.ts";

export interface PostgresOptions {
  readonly url: string;
  readonly schema?: string;
  readonly budgetMs?: number;
}

export const DEFAULT_SCHEMA = "talking_stick";
const BUDGET_MS = 10_000;
const MAX_CONNECTIONS = 4;

const REQUIRED: Readonly<Record<string, (value: string) => boolean>> = {
  server_version_num: (value) => Number(value) >= 130_000,
  server_encoding: (value) => value === "UTF8",
  synchronous_commit: (value) => value !== "off",
};

export async function openPostgresStore(options: PostgresOptions): Promise<Store> {
  const database = new Database({
    url: options.url,
    schema: options.schema ?? DEFAULT_SCHEMA,
    budgetMs: options.budgetMs ?? BUDGET_MS,
    maxConnections: MAX_CONNECTIONS,
  });
  try {
    await checkSettings(database);
    await migrate(database);
    return new PostgresStore(database);
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function checkSettings(database: Database): Promise<void> {
  const names = Object.keys(REQUIRED);
  const columns = names.map((name) => `current_setting('${name}') AS ${name}`).join(", ");
  const [row] = await database.query({ sql: `SELECT ${columns}`, params: [] });
  for (const [name, isFine] of Object.entries(REQUIRED)) {
    const value = String(row?.[name]);
    if (isFine(value)) continue;
    throw storeFault("store_unsafe", `The server's ${name} is ${value}, which this store cannot rely on.`, {
      facts: { setting: name, value },
    });
  }
}
