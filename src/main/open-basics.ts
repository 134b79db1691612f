/** The ports that every use case needs: what hooks, which must start fast, have to do with. */
import { shellWord } from "../domain/shell-word.ts";
import type { Bell } from "../ports/bell.ts";
import type { Clock } from "../ports/clock.ts";
import { Fault } from "../ports/fault.ts";
import type { Store } from "../ports/store.ts";
import type { Deps } from "../service/deps.ts";
import { openFileBell } from "../store/sqlite/bell.ts";
import { openSqliteStore } from "../store/sqlite/open.ts";
import { createActivityLog } from "../system/activity.ts";
import { createAgentTraces } from "../system/agent-traces.ts";
import { createSystemClock } from "../system/clock.ts";
import { prepareDataDirectory, prepareOwnFiles } from "../system/data-directory.ts";
import { sha256Hex } from "../system/digest.ts";
import type { Environment } from "../system/environment.ts";
import { homeDirectory } from "../system/home-directory.ts";
import { machineHostId } from "../system/host.ts";
import { lockHolders, storeUsers } from "../system/lock-holders.ts";
import { createMailFlags } from "../system/mail-flags.ts";
import { scratchPlaces } from "../system/private-git.ts";
import { createProcessProbe } from "../system/process-probe.ts";
import { createRandomness, jitter } from "../system/randomness.ts";
import { createRetiredSessions } from "../system/retired-sessions.ts";
import { createSessionCards } from "../system/session-card.ts";
import { readStoreAuthority } from "../system/store-authority.ts";
import type { StoreChoice } from "../system/store-choice.ts";
import { createTrace } from "../system/trace.ts";
import { createWorkspace } from "../system/workspace.ts";
import type { Settings } from "./settings.ts";

export type Basics = Omit<Deps, "sights" | "waking" | "workingTree" | "tmuxSessions">;

export async function openBasics(
  { config, dataDir, shared }: Settings,
  env: Environment,
  patience: StorePatience = {},
): Promise<Basics> {
  const clock = createSystemClock();
  const { store, bell } = await openStore(config.store, dataDir, clock, patience);
  // An embedded store knows one machine only, so its name cannot matter; a shared one must tell machines apart.
  const host = shared ? machineHostId() : "local";
  const trace = createTrace(env);
  const probe = createProcessProbe({ host, soleMachine: !shared });
  return {
    ...(trace && { trace }),
    store,
    bell,
    clock,
    host,
    policy: config.policy,
    probe,
    traces: createAgentTraces(dataDir, probe),
    random: createRandomness(),
    activity: createActivityLog({ dataDir, clock }),
    flags: createMailFlags(dataDir),
    cards: createSessionCards(dataDir),
    retired: createRetiredSessions(dataDir),
    workspace: createWorkspace({ home: homeDirectory(env), shared, host, env, scratch: scratchPlaces(env, dataDir) }),
    digest: sha256Hex,
  };
}

interface StorePatience {
  /** How long to try before a local store counts as busy. */
  readonly busyBudgetMs?: number;
}

async function openStore(
  choice: StoreChoice,
  dataDir: string,
  clock: Clock,
  patience: StorePatience,
): Promise<{ store: Store; bell: Bell }> {
  const uid = process.getuid?.() ?? -1;
  if (choice.kind === "memory") {
    const { openMemory } = await import("../store/memory/index.ts");
    return openMemory({ clock });
  }
  if (choice.kind === "postgres") {
    if (choice.exposedIn !== undefined) throw exposedPassword(choice.exposedIn);
    prepareOwnFiles(dataDir, { uid });
    const { openPostgres } = await import("../store/postgres/index.ts");
    return openPostgres({ url: choice.url, authority: readStoreAuthority(choice.url) });
  }
  const { database, bell } = prepareDataDirectory(dataDir, { uid });
  const store = await openSqliteStore({ file: database, clock, jitter, lockHolders, storeUsers, ...patience });
  return { store, bell: openFileBell({ directory: bell, clock }) };
}

function exposedPassword(file: string): Fault {
  return new Fault("store_unsafe", `${file} holds the password of the store, and others may read it.`, {
    next: `Run: chmod 600 ${shellWord(file)}`,
    retry: false,
    facts: { path: file },
  });
}
