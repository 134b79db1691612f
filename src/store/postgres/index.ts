/** What the lazily loaded bundle offers. */
import type { Bell } from "../../ports/bell.ts";
import type { Store } from "../../ports/store.ts";
import { openPostgresBell } from "./bell.ts";
import { openPostgresStore, type PostgresOptions } from "./open.ts";

export async function openPostgres(options: PostgresOptions): Promise<{ readonly store: Store; readonly bell: Bell }> {
  const store = await openPostgresStore(options);
  return { store, bell: openPostgresBell(options) };
}
