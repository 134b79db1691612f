/** The ports that every use case needs: what hooks, which must start fast, have to do with. */

import { isPersonsName, personAgentId } from "../core/agent-id.ts";
import { Fault } from "../core/fault.ts";
import type { AgentId } from "../core/ids.ts";
import { shellWord } from "../core/shell-word.ts";
import type { Deps } from "../engine/deps.ts";
import type { HostPresence } from "../engine/host-presence.ts";
import type { Advice } from "../engine/ports/advice.ts";
import type { Bell } from "../engine/ports/bell.ts";
import type { Clock } from "../engine/ports/clock.ts";
import type { GuardFiles } from "../engine/ports/guard-files.ts";
import type { ProcessProbe } from "../engine/ports/process-probe.ts";
import type { Store } from "../engine/ports/store.ts";
import type { WriteAttempts } from "../engine/ports/write-attempts.ts";
import { GUIDE_FILES } from "../harness/harnesses.ts";
import type { HookDeps } from "../hooks/hook-deps.ts";
import { notifyAfterCommit, notifyOfLostHolder } from "../peers/notify.ts";
import { type LocalPerson, promptAfterCommit, promptAfterMail } from "../peers/prompt-files.ts";
import type { Notice } from "../peers/rules/notices.ts";
import { createActivityLog } from "../platform/agents/activity.ts";
import { createAdvice } from "../platform/agents/advice-files.ts";
import { createAgentTraces } from "../platform/agents/agent-traces.ts";
import { createGuardFiles } from "../platform/agents/guard-files.ts";
import { createMailFlags } from "../platform/agents/mail-flags.ts";
import { createPromptFiles } from "../platform/agents/prompt-files.ts";
import { createQuietMarks, createToldActivities } from "../platform/agents/quiet-files.ts";
import { createRetiredSessions } from "../platform/agents/retired-sessions.ts";
import { createSessionCards } from "../platform/agents/session-card.ts";
import { createWriteAttempts } from "../platform/agents/write-attempts.ts";
import { createSystemClock } from "../platform/clock/clock.ts";
import { createRandomness, jitter } from "../platform/clock/randomness.ts";
import { forbiddenInStore, prepareDataDirectory, prepareOwnFiles } from "../platform/files/data-directory.ts";
import { sha256Hex } from "../platform/files/digest.ts";
import { homeDirectory } from "../platform/files/home-directory.ts";
import { scratchPlaces } from "../platform/git/private-git.ts";
import { createWorkspace } from "../platform/git/workspace.ts";
import { machineHostId, machineName } from "../platform/process/host.ts";
import { lockHolders, storeUsers } from "../platform/process/lock-holders.ts";
import { createProcessProbe } from "../platform/process/process-probe.ts";
import type { Environment } from "../platform/settings/environment.ts";
import { readStoreAuthority } from "../platform/settings/store-authority.ts";
import type { StoreChoice } from "../platform/settings/store-choice.ts";
import { createTrace } from "../platform/streams/trace.ts";
import { LOCAL_USER } from "../platform/terminal/terminal.ts";
import { rowsAsTold } from "../session/rows-as-told.ts";
import { openFileBell } from "../store/sqlite/bell.ts";
import { openSqliteStore } from "../store/sqlite/open.ts";
import {
  AFTER_COMMIT,
  attemptsBeforeGrant,
  endingQuiet,
  foreignWriteNews,
  guardSwitches,
  markingEndsOfTurns,
} from "./around-commit.ts";
import type { Settings } from "./settings.ts";

export type Basics = Omit<
  Deps,
  "sights" | "waking" | "wakeRecipients" | "workingTree" | "turnRecord" | "tmuxSessions"
> &
  Pick<HookDeps, "flags" | "cards" | "retired" | "quiet"> & {
    readonly guard: GuardFiles;
    readonly advice: Advice;
    readonly attempts: WriteAttempts;
  };

export async function openBasics(
  { config, dataDir, shared }: Settings,
  env: Environment,
  use: StoreUse = {},
): Promise<Basics> {
  const clock = createSystemClock();
  const opened = await openStore(config.store, dataDir, clock, use);
  // An embedded store knows one machine only, so its name cannot matter; a shared one must tell machines apart.
  const host = shared ? machineHostId() : "local";
  const trace = createTrace(env);
  const probe = createProcessProbe({ host, soleMachine: !shared });
  const { store: asStored, bell, ...shares } = await onSeveralMachines(opened, clock, probe);
  // Nobody on another machine could see these files, and no other process has a store in memory.
  const hasQuiet = config.store.kind === "sqlite";
  const store = hasQuiet ? rowsAsTold(asStored, createToldActivities({ dataDir, clock })) : asStored;
  const guard = createGuardFiles(dataDir, clock);
  const quiet = hasQuiet ? createQuietMarks({ dataDir, clock }) : null;
  const advice = createAdvice(dataDir);
  const attempts = createWriteAttempts(dataDir);
  const me = localPerson(shared);
  const prompt = { files: createPromptFiles(dataDir), me, shared };
  const notifier = { dataDir, env, choice: config.notify };
  const show = async (notice: Notice) => {
    // The program may have been replaced while this process runs.
    const part = await import("../platform/process/notifier.ts").catch(() => null);
    return part ? part.showNotice(notifier, notice, clock.now().wallMs) : "the part of tt that notifies is missing";
  };
  const notifies = config.notify.kind !== "off";
  return {
    ...(trace && { trace }),
    store,
    bell,
    clock,
    ...shares,
    host,
    policy: config.policy,
    probe,
    traces: createAgentTraces(dataDir, probe),
    random: createRandomness(),
    activity: createActivityLog({ dataDir, clock }),
    flags: createMailFlags(dataDir),
    cards: createSessionCards(dataDir),
    retired: createRetiredSessions(dataDir),
    workspace: createWorkspace({
      home: homeDirectory(env),
      shared,
      host,
      env,
      scratch: scratchPlaces(env, dataDir),
      guideFiles: GUIDE_FILES,
    }),
    digest: sha256Hex,
    guard,
    ...(quiet && { quiet }),
    // On a shared store no file of this machine can say that a turn is over, so there are no passes either.
    beforeMove: shared ? [] : [markingEndsOfTurns(guard), ...(quiet ? [endingQuiet(quiet)] : [])],
    advice,
    attempts,
    beforeGrant: [attemptsBeforeGrant(attempts)],
    afterCommit: [
      ...AFTER_COMMIT,
      guardSwitches(guard),
      foreignWriteNews(advice),
      promptAfterCommit(prompt),
      ...(notifies ? [notifyAfterCommit(show, me)] : []),
    ],
    ...(notifies && { afterLostHolder: [notifyOfLostHolder(show)] }),
    afterMail: [promptAfterMail(prompt)],
  };
}

/** A store that other machines use too: the time is the server's, and they are told when this process ends. */
async function onSeveralMachines({ store, bell }: OpenStore, clock: Clock, probe: ProcessProbe): Promise<OpenStore> {
  if (!store.hosts) return { store, bell };
  const { HostPresence } = await import("../engine/host-presence.ts");
  const { onServersTime } = await import("../store/postgres/servers-time.ts");
  const hosts = new HostPresence(store.hosts, probe, machineName());
  const close = async () => {
    await hosts.close();
    await store.close();
  };
  return { ...onServersTime({ ...store, close }, clock), bell, hosts };
}

/** The person who works on this machine, by the id that their terminals have. */
function localPerson(shared: boolean): LocalPerson {
  let known: AgentId | null = null;
  const id = () => (known ??= personAgentId(LOCAL_USER, shared));
  return { id, is: (agentId) => isPersonsName(agentId) && agentId === id() };
}

/** How this process uses a local store. */
export interface StoreUse {
  /** How long to try before it counts as busy. */
  readonly busyBudgetMs?: number;
  /** How long to try while other processes commit. */
  readonly busyLimitMs?: number;
  /** Whether the process ends as soon as the store is closed. */
  readonly leavesLog?: boolean;
}

interface OpenStore {
  readonly store: Store;
  readonly bell: Bell;
  readonly clock?: Clock;
  readonly hosts?: HostPresence;
}

async function openStore(choice: StoreChoice, dataDir: string, clock: Clock, use: StoreUse): Promise<OpenStore> {
  const uid = process.getuid?.() ?? -1;
  if (choice.kind === "memory") {
    const { openMemory } = await import("../store/memory/store.ts");
    return openMemory({ clock });
  }
  if (choice.kind === "postgres") {
    if (choice.exposedIn !== undefined) throw exposedPassword(choice.exposedIn);
    prepareOwnFiles(dataDir, { uid });
    const { openPostgres } = await import("../store/postgres/open.ts");
    return openPostgres({ url: choice.url, authority: readStoreAuthority(choice.url), jitter });
  }
  const { database, bell } = prepareDataDirectory(dataDir, { uid });
  const world = { clock, jitter, lockHolders, storeUsers, findForbidden: forbiddenInStore };
  const store = await openSqliteStore({ file: database, ...world, ...use });
  return { store, bell: openFileBell({ directory: bell, clock }) };
}

function exposedPassword(file: string): Fault {
  return new Fault("store_unsafe", `${file} contains the password of the store, and other users can read it.`, {
    next: `Run: chmod 600 ${shellWord(file)}`,
    retry: false,
    facts: { path: file },
  });
}
