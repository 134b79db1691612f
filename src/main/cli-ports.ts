/** The command line's world: streams, signals, settings, the store, and who is calling. */
import { isatty } from "node:tty";
import { isRefusal, type Refusal } from "../domain/refusal.ts";
import { HARNESSES } from "../harness/identities.ts";
import type { Deps } from "../service/deps.ts";
import { lookUpAgent } from "../service/look-up-agent.ts";
import type { CliPorts } from "../surfaces/cli/context.ts";
import { openAgentFiles } from "../system/agent-files.ts";
import { sha256Hex } from "../system/digest.ts";
import { identifyCaller, isInsideHarness } from "../system/identify-caller.ts";
import { createProcessProbe } from "../system/process-probe.ts";
import { interruptSignal, readStandardInput, writeTo } from "../system/standard-streams.ts";
import { createSessionClaims } from "../system/sticky-claim.ts";
import { carryOutMark, planMark } from "../system/workspace-mark.ts";
import { diagnose } from "./diagnose.ts";
import { openDepsWith, readSettings, type Settings } from "./open.ts";

export function createCliPorts(version: string): CliPorts {
  const { env, stdin, stdout, stderr } = process;
  let settings: Settings | Refusal | null = null;
  let interrupted: AbortSignal | null = null;
  const knownSettings = (): Settings | Refusal => (settings ??= readSettings(env));
  const usableSettings = (): Settings => {
    const known = knownSettings();
    if (isRefusal(known)) throw new Error(known.message);
    return known;
  };
  return {
    version,
    env,
    currentDirectory: currentDirectory(),
    terminal: {
      input: isatty(stdin.fd),
      output: isatty(stdout.fd),
      errors: isatty(stderr.fd),
      // A terminal that does not tell its size says 0.
      columns: stdout.columns || 80,
    },
    writeOut: (text) => writeTo(stdout, text),
    writeError: (text) => writeTo(stderr, text),
    readInput: readStandardInput,
    async openDeps(): Promise<Deps | Refusal> {
      const known = knownSettings();
      return isRefusal(known) ? known : openDepsWith(known, env);
    },
    identify: (agent, deps) => {
      const { dataDir, shared } = usableSettings();
      const lookUp = (name: Parameters<typeof lookUpAgent>[1]) => lookUpAgent(deps, name);
      const cwd = currentDirectory();
      return identifyCaller({ env, cwd, agent, dataDir, shared, probe: deps.probe, harnesses: HARNESSES, lookUp });
    },
    insideHarness: () => isInsideHarness({ env, harnesses: HARNESSES, probe: createProcessProbe({ host: "local" }) }),
    memory: () => openAgentFiles(usableSettings().dataDir),
    claimDeps: () => ({ claims: createSessionClaims(usableSettings().dataDir), hash: sha256Hex }),
    confirm,
    planMark: (root) => {
      const plan = planMark(root);
      return isRefusal(plan) ? plan : { plan, carryOut: () => carryOutMark(plan) };
    },
    diagnose: () => diagnose(version, knownSettings()),
    // Only a command that can be stopped halfway asks for it; for all others Ctrl-C stays what it is.
    get interrupted() {
      interrupted ??= interruptSignal();
      return interrupted;
    },
  };
}

/** Relative when the directory has vanished; whoever needs a path then gets a refusal that says so. */
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
