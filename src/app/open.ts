/** Composition: reads the settings, chooses the store, and hands the use cases their ports. */

import { isRefusal, type Refusal } from "../core/refusal.ts";
import type { Deps } from "../engine/deps.ts";
import { createPeerSights } from "../harness/peer-sights.ts";
import { createWaking } from "../harness/waking.ts";
import { createSystemClock } from "../platform/clock/clock.ts";
import { hasDatabase } from "../platform/files/data-directory.ts";
import { homeDirectory } from "../platform/files/home-directory.ts";
import { scratchPlaces } from "../platform/git/private-git.ts";
import type { LaterWork } from "../platform/git/record/turn-record.ts";
import { createWorkingTree } from "../platform/git/working-tree.ts";
import type { Environment } from "../platform/settings/environment.ts";
import { tmuxSessions } from "../platform/terminal/tmux-panes.ts";
import { openReadOnlyDatabase } from "../store/sqlite/driver.ts";
import { withWakes } from "../wake/wake-recipients.ts";
import { openBasics, type StoreUse } from "./open-basics.ts";
import { readSettings, type Settings } from "./settings.ts";

export async function openDeps(env: Environment): Promise<Deps | Refusal> {
  const settings = readSettings(env);
  return isRefusal(settings) ? settings : openDepsWith(settings, env);
}

/** To read a local store that is not there yet is to read an empty one; only a change makes it. */
export async function openDepsToRead(settings: Settings, env: Environment, use: StoreUse = {}): Promise<Deps> {
  const { config, dataDir } = settings;
  const isThere = () => config.store.kind !== "sqlite" || hasDatabase(dataDir, { uid: process.getuid?.() ?? -1 });
  if (isThere()) return openDepsWith(settings, env, use);
  const deps = await openDepsWith({ ...settings, config: { ...config, store: { kind: "memory" } } }, env);
  return { ...deps, store: { ...deps.store, isInPlace: () => !isThere() } };
}

export async function openDepsWith(settings: Settings, env: Environment, use: StoreUse = {}): Promise<Deps> {
  const basics = await openBasics(settings, env, use);
  const { probe } = basics;
  // What harnesses leave in files has the time of this machine.
  const clock = createSystemClock();
  const home = homeDirectory(env);
  const { dataDir } = settings;
  const scratch = scratchPlaces(env, dataDir);
  return withWakes({
    ...basics,
    sights: createPeerSights({ env, home, clock, probe, openDatabase: openReadOnlyDatabase }),
    waking: createWaking({ mode: settings.config.wake, env, home, probe }),
    workingTree: createWorkingTree({ home, env, scratch }),
    async turnRecord() {
      const { createTurnRecord, startLaterWork } = await import("../platform/git/record/turn-record.ts");
      const startBackground = (work: LaterWork) => startLaterWork(work, env);
      return createTurnRecord({ dataDir, home, env, scratch, startBackground });
    },
    tmuxSessions,
  });
}
