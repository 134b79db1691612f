/** The command line in this very process, with everything around it under control. */

import { openInstaller } from "../../../src/app/install.ts";
import { readSettings } from "../../../src/app/settings.ts";
import { isRefusal, refuse } from "../../../src/core/refusal.ts";
import type { Deps } from "../../../src/engine/deps.ts";
import type { AgentMemory } from "../../../src/engine/ports/agent-memory.ts";
import { HARNESSES } from "../../../src/harness/harnesses.ts";
import { identifyCaller, isInsideHarness, lookAround } from "../../../src/platform/agents/identify-caller.ts";
import { sha256Hex } from "../../../src/platform/files/digest.ts";
import type { CliPorts } from "../../../src/surfaces/cli/context.ts";
import { runCli } from "../../../src/surfaces/cli/run.ts";
import { bare, GROUPS } from "../../../src/surfaces/cli/table.ts";
import { gatherRecording } from "../../../src/surfaces/recording/gather-recording.ts";
import { countsOf } from "../../../src/surfaces/recording/recording-page.ts";
import type { ServiceWorld } from "../../support/service-world.ts";
import type { Answered } from "./typed-answer.ts";

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly input: string;
  readonly isTty: boolean;
}

export interface InProcessOptions {
  readonly memory?: AgentMemory;
  readonly interrupted?: AbortSignal;
}

/** Runs one line after another in one world; what a command remembers is remembered for the next. */
export class InProcess {
  readonly #world: Pick<ServiceWorld, "root" | "deps">;
  readonly #deps: Deps;
  readonly #memory: AgentMemory;
  readonly #interrupted: AbortSignal;

  /** Unless a signal is given, a command that would wait is interrupted at once. */
  constructor(world: Pick<ServiceWorld, "root" | "deps">, options: InProcessOptions = {}) {
    this.#world = world;
    this.#memory = options.memory ?? rememberNothing();
    this.#interrupted = options.interrupted ?? AbortSignal.abort();
    this.#deps = { ...world.deps, store: unclosable(world.deps.store), bell: unclosable(world.deps.bell) };
  }

  async run(words: readonly string[], surroundings: Surroundings): Promise<Answered> {
    const shown = { stdout: "", stderr: "" };
    const ports = this.#ports(surroundings, shown);
    const code = await runCli(words, ports, { bare, groups: GROUPS });
    return { words, code, ...shown };
  }

  #ports({ env, input, isTty }: Surroundings, shown: { stdout: string; stderr: string }): CliPorts {
    const deps = this.#deps;
    const looking = { env, harnesses: HARNESSES, probe: deps.probe, isTty };
    return {
      version: "0.0.0",
      env,
      currentDirectory: this.#world.root,
      terminal: { input: isTty, output: isTty, errors: isTty, columns: 80 },
      writeOut: async (text) => {
        shown.stdout += text;
      },
      writeError: async (text) => {
        shown.stderr += text;
      },
      assertOutput: () => undefined,
      readInput: async () => input,
      gitLayer: async () => refuse("invalid_path", "No hooks of git are set up in this process.", "Leave git alone."),
      // No page is built here, and nothing is written.
      recorder: async () => ({
        gather: gatherRecording,
        page: async (recording) => ({ html: "", counts: countsOf(recording) }),
        obstacleTo: () => null,
        write: () => null,
      }),
      // No harness is installed here.
      prove: async () => [],
      openDeps: async () => {
        const settings = readSettings(env);
        return isRefusal(settings) ? settings : deps;
      },
      identify: (agent, opened) =>
        identifyCaller({
          ...looking,
          agent,
          dataDir: this.#world.root,
          shared: false,
          presentName: (name) => opened.store.resolveAlias(name),
        }),
      insideHarness: () => isInsideHarness(lookAround(looking)),
      memory: () => this.#memory,
      claimBook: () => ({ claims: { write: () => undefined, forget: () => false }, hash: sha256Hex }),
      confirm: async () => input.length % 2 === 0,
      planMark: () => ({ plan: [{ path: "/x", what: "make it", text: "" }], carryOut: () => null }),
      installer: async () => {
        const settings = readSettings(env);
        if (isRefusal(settings)) return settings;
        const { dataDir } = settings;
        const options = { version: "0.0.0", dataDir, sharedStore: false, toUndo: false };
        return openInstaller({ env: { HOME: this.#world.root }, project: this.#world.root, ...options });
      },
      promptPlace: (script) => {
        const directory = `${this.#world.root}/prompt`;
        script?.(directory);
        return { directory, script: `${directory}/line.sh` };
      },
      tryNotification: async () => ({ isOff: true }),
      diagnose: () => [],
      diagnoseUsers: () => [],
      interrupted: this.#interrupted,
    };
  }
}

function rememberNothing(): AgentMemory {
  return {
    recallTurn: () => null,
    rememberTurn: () => undefined,
    forgetTurn: () => undefined,
    recallReminder: () => null,
    rememberReminder: () => undefined,
    recallCursor: () => null,
    rememberCursor: () => undefined,
    recallLosses: () => new Map(),
    rememberLosses: () => undefined,
  };
}

/** Each command closes what it opened; here the next one needs it. */
function unclosable<Target extends object>(target: Target): Target {
  return new Proxy(target, {
    get(object, key) {
      if (key === "close") return async () => undefined;
      const value: unknown = Reflect.get(object, key);
      return typeof value === "function" ? value.bind(object) : value;
    },
  });
}
