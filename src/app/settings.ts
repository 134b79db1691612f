import { isRefusal, type Refusal } from "../core/refusal.ts";
import { resolveDataDirectory } from "../platform/files/data-directory.ts";
import { type Config, readConfig } from "../platform/settings/config.ts";
import type { Environment } from "../platform/settings/environment.ts";

/** What must be known before a store can be opened. */
export interface Settings {
  readonly config: Config;
  readonly dataDir: string;
  /** Whether other machines use the same store. */
  readonly shared: boolean;
}

export function readSettings(env: Environment): Settings | Refusal {
  const config = readConfig(env);
  if (isRefusal(config)) return config;
  return { config, dataDir: resolveDataDirectory(env, config), shared: config.store.kind === "postgres" };
}
