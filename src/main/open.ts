/** Composition: reads the settings, chooses the store, and hands the use cases their ports. */
import type { Caller } from "../domain/given.ts";
import { isRefusal, type Refusal } from "../domain/refusal.ts";
import { createPeerSights } from "../harness/peer-sights.ts";
import { createWaking } from "../harness/waking.ts";
import type { Bell } from "../ports/bell.ts";
import type { Clock } from "../ports/clock.ts";
import type { Store } from "../ports/store.ts";
import { decodeAgentId, decodeId } from "../service/decode.ts";
import type { Deps } from "../service/deps.ts";
import { createTalkingStick, type TalkingStick } from "../service/talking-stick.ts";
import { openMemoryBell } from "../store/memory/bell.ts";
import { openMemoryStore } from "../store/memory/store.ts";
import { openFileBell } from "../store/sqlite/bell.ts";
import { openSqliteStore } from "../store/sqlite/open.ts";
import { openOpencodeDatabase } from "../store/sqlite/opencode-database.ts";
import { createActivityLog } from "../system/activity.ts";
import { createSystemClock } from "../system/clock.ts";
import { type Config, readConfig } from "../system/config.ts";
import { hasDatabase, prepareDataDirectory, resolveDataDirectory } from "../system/data-directory.ts";
import { sha256Hex } from "../system/digest.ts";
import type { Environment } from "../system/environment.ts";
import { homeDirectory } from "../system/home-directory.ts";
import { machineHostId } from "../system/host.ts";
import { lockHolders } from "../system/lock-holders.ts";
import { createMailFlags } from "../system/mail-flags.ts";
import { createProcessProbe } from "../system/process-probe.ts";
import { createRandomness, jitter } from "../system/randomness.ts";
import type { StoreChoice } from "../system/store-choice.ts";
import { tmuxSessions } from "../system/tmux-sessions.ts";
import { createTrace } from "../system/trace.ts";
import { createWorkingTree } from "../system/working-tree.ts";
import { createWorkspace } from "../system/workspace.ts";

export interface OpenOptions {
  /** Who the caller is, for example `script:nightly`. Its liveness is that of this very process. */
  readonly agentId: string;
  readonly harness?: string;
  /** Where TT_DATA_DIR, TT_STORE, TT_CONFIG and the policy defaults are read from; the process's own by default. */
  readonly env?: Environment;
}

export async function openTalkingStick(options: OpenOptions): Promise<TalkingStick | Refusal> {
  const agentId = decodeAgentId("agent_id", options.agentId);
  if (isRefusal(agentId)) return agentId;
  const harness = decodeId("harness", options.harness ?? "library");
  if (isRefusal(harness)) return harness;
  const deps = await openDeps(options.env ?? process.env);
  if (isRefusal(deps)) return deps;
  const caller: Caller = {
    agentId,
    harness,
    isPerson: false,
    process: deps.probe.self(),
    sessionId: null,
    formerId: null,
    tmuxPane: null,
  };
  return createTalkingStick(deps, caller);
}

export async function openDeps(env: Environment): Promise<Deps | Refusal> {
  const settings = readSettings(env);
  return isRefusal(settings) ? settings : openDepsWith(settings, env);
}

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

/** To read a local store that is not there yet is to read an empty one; only a change makes it. */
export async function openDepsToRead(settings: Settings, env: Environment): Promise<Deps> {
  const { config } = settings;
  return openDepsWith(
    !isStoreThere(settings) ? { ...settings, config: { ...config, store: { kind: "memory" } } } : settings,
    env,
  );
}

/** Whether a store can be opened without making it. */
export function isStoreThere(settings: Settings | Refusal): boolean {
  if (isRefusal(settings)) return false;
  const { config, dataDir } = settings;
  return config.store.kind !== "sqlite" || hasDatabase(dataDir, { uid: process.getuid?.() ?? -1 });
}

export interface StorePatience {
  /** How long to try before a local store counts as busy. */
  readonly busyBudgetMs?: number;
}

export async function openDepsWith(
  { config, dataDir, shared }: Settings,
  env: Environment,
  patience: StorePatience = {},
): Promise<Deps> {
  const clock = createSystemClock();
  const { store, bell } = await openStore(config.store, dataDir, clock, patience);
  const home = homeDirectory(env);
  // An embedded store knows one machine only, so its name cannot matter; a shared one must tell machines apart.
  const host = shared ? machineHostId() : "local";
  return depsWith({ store, bell, clock, host, dataDir, home, shared, env, config });
}

interface Parts {
  readonly store: Store;
  readonly bell: Bell;
  readonly clock: Clock;
  readonly host: string;
  readonly dataDir: string;
  readonly home: string | null;
  readonly shared: boolean;
  readonly env: Environment;
  readonly config: Config;
}

function depsWith({ store, bell, clock, host, dataDir, home, shared, env, config }: Parts): Deps {
  const probe = createProcessProbe({ host });
  const trace = createTrace(env);
  return {
    ...(trace && { trace }),
    store,
    bell,
    clock,
    host,
    policy: config.policy,
    probe,
    sights: createPeerSights({ env, home, clock, probe, openOpencode: openOpencodeDatabase }),
    waking: createWaking({ mode: config.wake, env, home, probe }),
    random: createRandomness(),
    activity: createActivityLog({ dataDir, clock }),
    flags: createMailFlags(dataDir),
    workingTree: createWorkingTree({ home, env }),
    workspace: createWorkspace({ home, shared, host, env }),
    digest: sha256Hex,
    tmuxSessions,
  };
}

async function openStore(
  choice: StoreChoice,
  dataDir: string,
  clock: Clock,
  patience: StorePatience,
): Promise<{ store: Store; bell: Bell }> {
  if (choice.kind === "memory") return { store: openMemoryStore({ clock }), bell: openMemoryBell() };
  if (choice.kind === "postgres") {
    const { openPostgres } = await import("../store/postgres/index.ts");
    return openPostgres({ url: choice.url });
  }
  const { database, bell } = prepareDataDirectory(dataDir, { uid: process.getuid?.() ?? -1 });
  const store = await openSqliteStore({ file: database, clock, jitter, lockHolders, ...patience });
  return { store, bell: openFileBell({ directory: bell, clock }) };
}
