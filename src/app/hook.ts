/** The hooks' world: the payload, the settings, a store with little patience, and whose hook it is. */

import { isRefusal, type Refusal } from "../core/refusal.ts";
import { HARNESSES } from "../harness/harnesses.ts";
import type { HookDeps } from "../hooks/hook-deps.ts";
import type { HookCall } from "../hooks/rules/hook.ts";
import { leaveSign } from "../platform/agents/activity.ts";
import { openAgentFiles } from "../platform/agents/agent-files.ts";
import { identifyCaller } from "../platform/agents/identify-caller.ts";
import { createSessionClaims } from "../platform/agents/sticky-claim.ts";
import { createSubagentMarks } from "../platform/agents/subagent-marks.ts";
import { readJsonInput, waitsForInput } from "../platform/files/json-input.ts";
import { isMarked } from "../platform/git/workspace-mark.ts";
import { logHook } from "../platform/streams/hook-log.ts";
import { writeAtOnce } from "../platform/streams/standard-streams.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { callerOf } from "../session/rules/identity.ts";
import { runHook } from "../surfaces/hook/run-hook.ts";
import { openBasics } from "./open-basics.ts";
import { readSettings, type Settings } from "./settings.ts";

/** A payload carries what a tool is given and what it answered. */
const MOST_BYTES = 64 * 1024 * 1024;
/** A store that stays busy until this little time is left is one that the hook cannot use. */
const TIME_AFTER_BUSY_MS = 350;
/** The shell has already read the beginning of the payload; the rest is on descriptor 3. */
const REST = "rest-in-3";

/** No hook hands over a stick, so no hook needs evidence about the working tree. */
const NO_TREE: HookDeps["workingTree"] = { head: () => null, evidence: async () => null };

export interface StartedHook {
  readonly done: Promise<void>;
  /** Notes that the time is over. */
  giveUp(): void;
  /** Whether a thread waits for the payload: Node would wait for that thread before it ends. */
  waitsForInput(): boolean;
}

/** `deadlineMs`: since the start of the process. */
export function startHook(words: readonly string[], deadlineMs: number): StartedHook {
  const { env } = process;
  let settings: Settings | null = null;
  const log = (what: string): void => {
    const dataDir = settings?.dataDir ?? env["TT_DATA_DIR"];
    if (dataDir) logHook(dataDir, words, what);
  };
  const openDeps = async (): Promise<HookDeps | Refusal> => {
    const read = readSettings(env);
    if (isRefusal(read)) return read;
    settings = read;
    const { dataDir } = read;
    const basics = await openBasics(read, env, { busyBudgetMs: deadlineMs - TIME_AFTER_BUSY_MS });
    return {
      ...basics,
      workingTree: NO_TREE,
      tmuxSessions: () => new Map(),
      claims: createSessionClaims(dataDir),
      subagents: createSubagentMarks(dataDir),
      leaveSign: (sessionId) => leaveSign({ dataDir, clock: basics.clock }, sessionId),
      memory: openAgentFiles(dataDir),
      isMarked,
      leftMs: () => deadlineMs - process.uptime() * 1000,
      wakeMode: read.config.wake,
    };
  };
  const identify = async (deps: HookDeps, call: HookCall): Promise<Caller | Refusal> => {
    const { dataDir, shared } = settings as Settings;
    const { identity, facts } = await identifyCaller({
      env,
      dataDir,
      shared,
      probe: deps.probe,
      harnesses: HARNESSES,
      hook: call,
      isTty: false,
    });
    if (isRefusal(identity) || !facts) return isRefusal(identity) ? identity : callerOf(identity);
    return callerOf(identity, { ...facts, cwd: call.cwd, transcriptPath: call.transcriptPath ?? facts.transcriptPath });
  };
  const readPayload = () => readJsonInput(words[2] === REST ? [0, 3] : [0], MOST_BYTES);
  const done = runHook(words, { readPayload, writeOut: writeAtOnce, openDeps, identify, log });
  return { done, giveUp: () => log("it reached its time limit"), waitsForInput };
}
