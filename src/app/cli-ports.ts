/** The command line's world: streams, signals, settings, the store, and who is calling. */
import { isRefusal, type Refusal } from "../core/refusal.ts";
import type { Deps } from "../engine/deps.ts";
import { GUIDE_FILES, HARNESSES } from "../harness/harnesses.ts";
import { openAgentFiles } from "../platform/agents/agent-files.ts";
import { identifyCaller, isInsideHarness, lookAround } from "../platform/agents/identify-caller.ts";
import { preparePrompt } from "../platform/agents/prompt-files.ts";
import { createSessionClaims } from "../platform/agents/sticky-claim.ts";
import { inspectDataDirectory, resolveDataDirectory } from "../platform/files/data-directory.ts";
import { sha256Hex } from "../platform/files/digest.ts";
import { carryOutMark, planMark } from "../platform/git/workspace-mark.ts";
import { removeRecordsOfEnded } from "../platform/process/ended-processes.ts";
import { notifierProgram } from "../platform/process/notifier-program.ts";
import { createProcessProbe } from "../platform/process/process-probe.ts";
import type { Environment } from "../platform/settings/environment.ts";
import { assertOutput } from "../platform/streams/closed-output.ts";
import {
  createOutput,
  interruptSignal,
  OutputClosed,
  readStandardInput,
} from "../platform/streams/standard-streams.ts";
import { isTerminal } from "../platform/terminal/is-terminal.ts";
import { namesIn } from "../session/names-in.ts";
import type { Surroundings } from "../session/rules/evidence.ts";
import type { CliPorts } from "../surfaces/cli/context.ts";
import { diagnose, diagnoseUsers } from "./diagnose.ts";
import { openDepsToRead, openDepsWith } from "./open.ts";
import type { StoreUse } from "./open-basics.ts";
import { readSettings, type Settings } from "./settings.ts";

export interface MainPorts extends CliPorts {
  /** Whether the command may have changed something. */
  readonly changed: () => boolean;
}

export function createCliPorts(version: string, use: StoreUse): MainPorts {
  const { env } = process;
  let settings: Settings | Refusal | null = null;
  let interrupted: AbortSignal | null = null;
  let surroundings: Surroundings | null = null;
  let changes = false;
  const knownSettings = (): Settings | Refusal => (settings ??= readSettings(env));
  const usableSettings = (): Settings => {
    const known = knownSettings();
    if (isRefusal(known)) throw new Error(known.message);
    return known;
  };
  const mayBlock = () => interrupted === null;
  const insideHarness = (): boolean => {
    // An unknown harness names itself in this variable.
    if (env["TT_HARNESS_AGENT_ID"]) return true;
    surroundings ??= lookAround({ env, harnesses: HARNESSES, probe: createProcessProbe({ host: "local" }) });
    return isInsideHarness(surroundings);
  };
  return {
    version,
    changed: () => changes,
    env,
    currentDirectory: currentDirectory(),
    terminal: TERMINAL,
    writeOut: createOutput({ descriptor: 1, mayBlock }),
    writeError: endingIfClosed(createOutput({ descriptor: 2, mayBlock })),
    assertOutput,
    readInput: readStandardInput,
    async openDeps(purpose): Promise<Deps | Refusal> {
      const known = knownSettings();
      if (isRefusal(known)) return known;
      if (purpose === "read") return openDepsToRead(known, env, use);
      changes = true;
      const deps = await openDepsWith(known, env, use);
      removeRecordsOfEnded(known.dataDir, deps.probe);
      return deps;
    },
    identify: (agent, deps) => {
      const { dataDir, shared } = usableSettings();
      const { probe } = deps;
      surroundings = lookAround({ env, probe, harnesses: HARNESSES });
      return identifyCaller({
        env,
        cwd: currentDirectory(),
        agent,
        dataDir,
        shared,
        probe,
        harnesses: HARNESSES,
        ...namesIn(deps),
        surroundings,
      });
    },
    insideHarness,
    memory: () => openAgentFiles(usableSettings().dataDir),
    claimBook: () => ({ claims: createSessionClaims(usableSettings().dataDir), hash: sha256Hex }),
    confirm,
    planMark: (root) => {
      const plan = planMark(root, GUIDE_FILES);
      return isRefusal(plan) ? plan : { plan, carryOut: () => carryOutMark(plan) };
    },
    installer: (purpose, guard) => installerFor(purpose, knownSettings(), { env, version, guard }),
    gitLayer: (purpose) => gitLayerFor(purpose, knownSettings(), { env, version }),
    async prove(request) {
      const { proveHarnesses } = await import("./prove.ts");
      return proveHarnesses({ ...request, env, version, tt: process.argv[1] ?? "" });
    },
    recorder: async () => (await import("./page/recorder.ts")).openRecorder(),
    promptPlace: (script) => promptPlace(knownSettings(), script),
    tryNotification: () => tryNotification(knownSettings(), env),
    diagnose: () => diagnose(version, knownSettings(), { env, insideHarness }),
    diagnoseUsers: () => diagnoseUsers(knownSettings()),
    // Only a command that can be stopped halfway reads this; for all others Ctrl-C keeps its default.
    get interrupted() {
      interrupted ??= interruptSignal();
      return interrupted;
    },
  };
}

function promptPlace(
  known: Settings | Refusal,
  script: Parameters<CliPorts["promptPlace"]>[0],
): ReturnType<CliPorts["promptPlace"]> {
  return isRefusal(known) ? known : preparePrompt(known.dataDir, script);
}

async function tryNotification(known: Settings | Refusal, env: Environment): ReturnType<CliPorts["tryNotification"]> {
  if (isRefusal(known)) return known;
  const { notify: choice } = known.config;
  if (choice.kind === "off") return { isOff: true };
  const { tryNotifier } = await import("../platform/process/notifier.ts");
  return { isOff: false, program: notifierProgram(choice, env), problem: await tryNotifier({ env, choice }) };
}

async function gitLayerFor(
  purpose: Parameters<CliPorts["gitLayer"]>[0],
  known: Settings | Refusal,
  { env, version }: { readonly env: Environment; readonly version: string },
): ReturnType<CliPorts["gitLayer"]> {
  if (purpose === "change" && isRefusal(known)) return known;
  const { openGitGuard } = await import("./git-layer.ts");
  return openGitGuard({ env, version, ...placesIn(known, env), toUndo: purpose === "undo" });
}

/** To undo something, settings that cannot be used do not matter. */
function placesIn(known: Settings | Refusal, env: Environment) {
  return isRefusal(known)
    ? { dataDir: resolveDataDirectory(env, { dataDir: null }), sharedStore: false }
    : { dataDir: known.dataDir, sharedStore: known.shared };
}

/** Uninstall works whatever the settings say now. */
async function installerFor(
  purpose: Parameters<CliPorts["installer"]>[0],
  known: Settings | Refusal,
  { env, version, guard }: { readonly env: Environment; readonly version: string; readonly guard: boolean | undefined },
): ReturnType<CliPorts["installer"]> {
  if (purpose !== "undo" && isRefusal(known)) return known;
  const { dataDir, sharedStore } = placesIn(known, env);
  // Nothing may point to a directory that would be refused later.
  if (purpose === "change") inspectDataDirectory(dataDir, { uid: process.getuid?.() ?? -1 });
  const { openInstaller } = await import("./install.ts");
  const toUndo = purpose === "undo";
  return openInstaller({ env, project: currentDirectory(), version, dataDir, sharedStore, toUndo, guard });
}

/** Read on demand. */
const TERMINAL: CliPorts["terminal"] = {
  get input() {
    return isTerminal(0);
  },
  get output() {
    return isTerminal(1);
  },
  get errors() {
    return isTerminal(2);
  },
  get columns() {
    // A terminal that does not tell its size says 0.
    return (this.output && process.stdout.columns) || 80;
  },
};

/** For output without mail, such as progress: a closed pipe ends the program. */
function endingIfClosed(write: (text: string) => Promise<void>): (text: string) => Promise<void> {
  return async (text) => {
    try {
      await write(text);
    } catch (error) {
      if (error instanceof OutputClosed) process.exit(0);
      throw error;
    }
  };
}

/** Relative when the directory has vanished; a command that needs a path then refuses and says so. */
function currentDirectory(): string {
  try {
    return process.cwd();
  } catch {
    return ".";
  }
}

async function confirm(question: string): Promise<boolean> {
  const { createInterface } = process.getBuiltinModule("node:readline/promises");
  const dialogue = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await dialogue.question(`${question} [y/N] `)).trim());
  } catch (error) {
    // Ctrl-C and Ctrl-D are answers, too.
    if (!(error instanceof Error) || error.name !== "AbortError") throw error;
    process.stderr.write("\n");
    return false;
  } finally {
    dialogue.close();
  }
}
