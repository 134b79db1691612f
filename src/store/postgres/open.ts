/** Opens the store's schema and reads back the settings of the server that the promises depend on. */
import type { Bell } from "../../engine/ports/bell.ts";
import type { Store } from "../../engine/ports/store.ts";
import { raw } from "../sql/statement.ts";
import { openPostgresBell } from "./bell.ts";
import { Database } from "./database.ts";
import { storeFault } from "./faults.ts";
import { PostgresSchema } from "./schema.ts";
import { STARTUP_NEXT } from "./sql-states.ts";
import { postgresStore } from "./store.ts";
import type { Server } from "./tls.ts";

export interface PostgresOptions extends Server {
  readonly schema?: string;
  readonly budgetMs?: number;
}

const SCHEMA = "talking_stick";
const BUDGET_MS = 10_000;
const MAX_CONNECTIONS = 4;

const REQUIRED: Readonly<Record<string, (value: string) => boolean>> = {
  server_version_num: (value) => Number(value) >= 130_000,
  server_encoding: (value) => value === "UTF8",
  synchronous_commit: (value) => value !== "off",
};

/** The store and the bell share their connections, except for the one that listens. */
export async function openPostgres(options: PostgresOptions): Promise<{ readonly store: Store; readonly bell: Bell }> {
  const { url, authority, schema = SCHEMA, budgetMs = BUDGET_MS } = options;
  const database = new Database({ url, authority, schema, budgetMs, maxConnections: MAX_CONNECTIONS });
  try {
    await checkSettings(database);
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

async function checkSettings(database: Database): Promise<void> {
  const { schema } = database.options;
  const names = [...Object.keys(REQUIRED), "search_path"];
  const columns = names.map((name) => `current_setting('${name}') AS ${name}`).join(", ");
  const [row] = await database.query(raw(`SELECT ${columns}`));
  // A pooler may ignore the settings of a connection. The tables would then be created in another schema.
  if (row?.["search_path"] !== schema)
    throw storeFault("store_unsafe", "The settings of this connection did not reach the server.", {
      next: STARTUP_NEXT,
      facts: { setting: "search_path" },
    });
  for (const [name, isFine] of Object.entries(REQUIRED)) {
    const value = String(row?.[name]);
    if (isFine(value)) continue;
    throw storeFault("store_unsafe", `The server's ${name} is ${value}, which this store cannot rely on.`, {
      facts: { setting: name, value },
    });
  }
}
