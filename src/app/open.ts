/** Composition: reads the settings, chooses the store, and hands the use cases their ports. */

import { isWordForOthers } from "../core/agent-id.ts";
import { invalidInput, isRefusal, type Refusal } from "../core/refusal.ts";
import { decodeAgentId, decodeId } from "../engine/decode.ts";
import type { Deps } from "../engine/deps.ts";
import { openOpencodeDatabase } from "../harness/opencode/opencode-database.ts";
import { createPeerSights } from "../harness/peer-sights.ts";
import { createWaking } from "../harness/waking.ts";
import { hasDatabase } from "../platform/files/data-directory.ts";
import { homeDirectory } from "../platform/files/home-directory.ts";
import { scratchPlaces } from "../platform/git/private-git.ts";
import { createWorkingTree } from "../platform/git/working-tree.ts";
import type { Environment } from "../platform/settings/environment.ts";
import { tmuxSessions } from "../platform/terminal/tmux-sessions.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import type { OpenOptions } from "../surfaces/library/api.ts";
import type { Opened } from "../surfaces/library/client.ts";
import { createTalkingStick, type TalkingStick } from "../surfaces/library/talking-stick.ts";
import { openBasics } from "./open-basics.ts";
import { readSettings, type Settings } from "./settings.ts";

/** The use cases for one caller; refusals are values. */
export async function openService(options: OpenOptions): Promise<TalkingStick | Refusal> {
  const opened = await openAs(options);
  return isRefusal(opened) ? opened : createTalkingStick(opened.deps, opened.caller);
}

export async function openAs(options: OpenOptions): Promise<Opened | Refusal> {
  const agentId = decodeAgentId("agent_id", options.agentId);
  if (isRefusal(agentId)) return agentId;
  if (isWordForOthers(agentId)) {
    const message = `agent_id is ${agentId}, a word that stands for others.`;
    return invalidInput("agent_id", message, "Give an id such as script:nightly.");
  }
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
  return { deps, caller, directory: options.directory ?? process.cwd() };
}

export async function openDeps(env: Environment): Promise<Deps | Refusal> {
  const settings = readSettings(env);
  return isRefusal(settings) ? settings : openDepsWith(settings, env);
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

export async function openDepsWith(settings: Settings, env: Environment): Promise<Deps> {
  const basics = await openBasics(settings, env);
  const { clock, probe } = basics;
  const home = homeDirectory(env);
  return {
    ...basics,
    sights: createPeerSights({ env, home, clock, probe, openOpencode: openOpencodeDatabase }),
    waking: createWaking({ mode: settings.config.wake, env, home, probe }),
    workingTree: createWorkingTree({ home, env, scratch: scratchPlaces(env, settings.dataDir) }),
    tmuxSessions,
  };
}
