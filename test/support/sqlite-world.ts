/** The product on a data directory of the test's own, with a SQLite driver that the test may have prepared. */
import { chmodSync, cpSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { openDeps } from "../../src/app/open.ts";
import { asAgentId } from "../../src/core/ids.ts";
import type { ProcessRef } from "../../src/core/process.ts";
import { isRefusal } from "../../src/core/refusal.ts";
import type { Deps } from "../../src/engine/deps.ts";
import { jitter } from "../../src/platform/clock/randomness.ts";
import { prepareDataDirectory } from "../../src/platform/files/data-directory.ts";
import { lockHolders, storeUsers } from "../../src/platform/process/lock-holders.ts";
import type { Environment } from "../../src/platform/settings/environment.ts";
import { openFileBell } from "../../src/store/sqlite/bell.ts";
import type { SqliteDriver } from "../../src/store/sqlite/driver.ts";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import { createTalkingStick, type TalkingStick } from "../../src/surfaces/library/talking-stick.ts";

/** Where a test keeps its data, and the directory that its rooms are about. */
export interface Ground {
  readonly dataDir: string;
  readonly database: string;
  readonly tree: string;
  readonly env: Environment;
}

/** Everything below one directory, untouched by the settings of the person who runs the tests. */
export function groundAt(directory: string, settings: Environment = {}): Ground {
  const [dataDir, tree, home] = [join(directory, "data"), join(directory, "tree"), join(directory, "home")];
  for (const path of [tree, home]) mkdirSync(path, { recursive: true });
  const env = { PATH: process.env["PATH"], HOME: home, TT_DATA_DIR: dataDir, ...settings };
  return { dataDir, database: join(dataDir, "tt.db"), tree, env };
}

/** The same ground with its data somewhere else. */
export function groundWith({ tree, env }: Ground, dataDir: string): Ground {
  return { dataDir, database: join(dataDir, "tt.db"), tree, env: { ...env, TT_DATA_DIR: dataDir } };
}

/** Copies a data directory. Its directories stay private, which a plain copy does not promise. */
export function copyData(from: string, to: string): void {
  cpSync(from, to, { recursive: true });
  const inside = readdirSync(to, { recursive: true, withFileTypes: true }).filter((entry) => entry.isDirectory());
  for (const path of [to, ...inside.map((entry) => join(entry.parentPath, entry.name))]) chmodSync(path, 0o700);
}

export interface WorldOptions {
  readonly driver?: SqliteDriver;
  readonly busyBudgetMs?: number;
  readonly busyLimitMs?: number;
}

/** As `openDeps` does it, except for what the options replace. */
export async function openWorld({ dataDir, env }: Ground, options: WorldOptions = {}): Promise<Deps> {
  const deps = await openDeps({ ...env, TT_STORE: "memory:" });
  if (isRefusal(deps)) throw new Error(deps.message);
  const { database, bell } = prepareDataDirectory(dataDir, { uid: process.getuid?.() ?? -1 });
  const { clock } = deps;
  const store = await openSqliteStore({ file: database, clock, jitter, lockHolders, storeUsers, ...options });
  return { ...deps, store, bell: openFileBell({ directory: bell, clock }) };
}

export interface ActorTraits {
  readonly isPerson?: boolean;
  /** Null by default: nothing can be said about its liveness. */
  readonly process?: ProcessRef | null;
  readonly sessionId?: string | null;
  /** The provisional name its session had before. */
  readonly formerId?: string;
}

export function actor(deps: Deps, agentId: string, traits: ActorTraits = {}): TalkingStick {
  const { isPerson = false, process = null, sessionId = null, formerId } = traits;
  const harness = agentId.split(":")[0] ?? agentId;
  return createTalkingStick(deps, {
    agentId: asAgentId(agentId),
    harness,
    isPerson,
    process,
    sessionId,
    formerId: formerId === undefined ? null : asAgentId(formerId),
    tmuxPane: null,
  });
}
/** The answer, or an error that shows the refusal. */
export function accepted<Answer>(answer: Answer): Exclude<Answer, { error: unknown }> {
  if (isRefusal(answer)) throw new Error(`refused: ${JSON.stringify(answer)}`);
  return answer as Exclude<Answer, { error: unknown }>;
}
