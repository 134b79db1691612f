/** The hooks' world: the payload, the settings, a store with little patience, and whose hook it is. */

import { resolve } from "node:path";
import { isRefusal, type Refusal } from "../core/refusal.ts";
import { adviceFrom } from "../guard/advice-news.ts";
import type { GuardDeps } from "../guard/guard-deps.ts";
import { HARNESSES } from "../harness/harnesses.ts";
import type { HookDeps } from "../hooks/hook-deps.ts";
import type { HookCall } from "../hooks/rules/hook.ts";
import { leaveSign } from "../platform/agents/activity.ts";
import { openAgentFiles } from "../platform/agents/agent-files.ts";
import { identifyCaller, lookAround } from "../platform/agents/identify-caller.ts";
import { createSessionClaims } from "../platform/agents/sticky-claim.ts";
import { createSubagentMarks } from "../platform/agents/subagent-marks.ts";
import { homeDirectory } from "../platform/files/home-directory.ts";
import { readJsonInput, readTextInput, waitsForInput } from "../platform/files/json-input.ts";
import { lookAroundGitHook } from "../platform/git/git-hook-place.ts";
import { isMarked } from "../platform/git/workspace-mark.ts";
import { createWritePlaces } from "../platform/git/write-places.ts";
import { createProcessProbe } from "../platform/process/process-probe.ts";
import type { Environment } from "../platform/settings/environment.ts";
import { logHook } from "../platform/streams/hook-log.ts";
import { writeAtOnce } from "../platform/streams/standard-streams.ts";
import { namesIn } from "../session/names-in.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import type { Surroundings } from "../session/rules/evidence.ts";
import { callerOf } from "../session/rules/identity.ts";
import { type GitHookPorts, runGitHook } from "../surfaces/hook/run-git-hook.ts";
import { runGuard } from "../surfaces/hook/run-guard.ts";
import { runHook } from "../surfaces/hook/run-hook.ts";
import { openBasics } from "./open-basics.ts";
import { readSettings, type Settings } from "./settings.ts";

/** A payload carries what a tool is given and what it answered. */
const MOST_BYTES = 64 * 1024 * 1024;
/** A store that stays busy until this little time is left is one that the hook cannot use. */
const TIME_AFTER_BUSY_MS = 350;
/** More refs than an agent changes in one command of its own. */
const MOST_REF_BYTES = 1024 * 1024;
/** The shell has already read the beginning of the payload; the rest is on descriptor 3. */
const REST = "rest-in-3";

/** No hook hands over a stick, so no hook needs evidence about the working tree. */
const NO_TREE: HookDeps["workingTree"] = {
  head: () => null,
  checkedOut: () => null,
  evidence: async () => null,
  missing: () => [],
};

export interface StartedHook {
  readonly done: Promise<void>;
  /** Notes that the time is over. */
  giveUp(): void;
  /** Whether a thread waits for the payload: Node would wait for that thread before it ends. */
  waitsForInput(): boolean;
  /** Whether it has said something to its agent. */
  hasShown(): boolean;
  exitCode(): number;
}

/** The script beside this program knows it by this code, which Node itself never ends with, that a tool is refused. */
const REFUSED = 22;
/** Where the script has put its own standard error; what Node might say on the other one is dropped. */
const REASON_FILE = 4;

/** `deadlineMs`: since the start of the process. */
export function startHook(words: readonly string[], deadlineMs: number): StartedHook {
  const { env } = process;
  let settings: Settings | null = null;
  const log = (what: string): void => {
    const dataDir = settings?.dataDir ?? env["TT_DATA_DIR"];
    if (dataDir) logHook(dataDir, words, what);
  };
  const openDeps = async (): Promise<GuardDeps | Refusal> => {
    const read = readSettings(env);
    if (isRefusal(read)) return read;
    settings = read;
    const { dataDir } = read;
    const basics = await openBasics(read, env, {
      busyBudgetMs: deadlineMs - TIME_AFTER_BUSY_MS,
      leavesLog: true,
    });
    return {
      ...basics,
      workingTree: NO_TREE,
      tmuxSessions: () => new Map(),
      claims: createSessionClaims(dataDir),
      subagents: createSubagentMarks(dataDir),
      leaveSign: (sessionId) => leaveSign({ dataDir, clock: basics.clock }, sessionId),
      memory: openAgentFiles(dataDir),
      adviceNews: adviceFrom(basics.advice),
      isMarked,
      leftMs: () => deadlineMs - process.uptime() * 1000,
      wakeMode: read.config.wake,
      writePlaces: createWritePlaces(basics.workspace, () => basics.guard.guardedRooms(), homeDirectory(env)),
      home: homeDirectory(env),
      shellEffect: async (command) => (await import("../guard/rules/shell/shell-effect.ts")).shellEffect(command),
      absolutePath: (path, from) => resolve(from, path),
      sharedStore: read.shared,
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
  const byWhatIsSeen = (deps: GuardDeps, surroundings: Surroundings) =>
    identifyInGit(deps, surroundings, settings as Settings);
  const readPayload = () => readJsonInput(words.includes(REST) ? [0, 3] : [0], MOST_BYTES);
  let hasShown = false;
  const writeOut = (text: string): void => {
    writeAtOnce(text);
    hasShown = true;
  };
  const ports = { readPayload, writeOut, openDeps, identify, log };
  let exitCode = 0;
  const guard = async ([harness = ""]: readonly string[]) => {
    if (await runGuard(harness, { ...ports, writeReason })) exitCode = REFUSED;
  };
  const git = async () => {
    if (await runGitHook(words, { ...gitPorts(env), openDeps, identify: byWhatIsSeen, writeReason, log }))
      exitCode = REFUSED;
  };
  const done = words[0] === "git" ? git() : words[1] === "guard" ? guard(words) : runHook(words, ports);
  return {
    done,
    giveUp: () => log("it reached its time limit"),
    waitsForInput,
    hasShown: () => hasShown,
    exitCode: () => exitCode,
  };
}

function writeReason(text: string): void {
  writeAtOnce(text, REASON_FILE);
}

function gitPorts(env: Environment): Pick<GitHookPorts, "readRefs" | "lookAround" | "place"> {
  const probe = createProcessProbe({ host: "local" });
  return {
    readRefs: () => readTextInput(MOST_REF_BYTES),
    lookAround: () => lookAround({ env, probe, harnesses: HARNESSES, isTty: false }),
    place: () => lookAroundGitHook(env),
  };
}

/** By what is seen of it alone: git is no place to give another name. */
async function identifyInGit(
  deps: GuardDeps,
  surroundings: Surroundings,
  { dataDir, shared }: Settings,
): Promise<Caller | Refusal> {
  const { TT_AGENT_ID: _, TT_HARNESS_AGENT_ID: __, TT_AGENT_PID: ___, ...env } = surroundings.env;
  const { probe } = deps;
  const known = { env, dataDir, shared, probe, harnesses: HARNESSES, surroundings, ...namesIn(deps) };
  const { identity } = await identifyCaller(known);
  return isRefusal(identity) ? identity : callerOf(identity);
}
