/**
 * One run of a real harness against the scripted model, as a throwaway user whose home and project are in place:
 *
 *   1. A member takes the stick and keeps it.
 *   2. The harness gets a prompt. When its model is first asked, another member sends the session a message.
 *   3. The model runs a command that only reads: some harnesses show mail only after a tool that was not refused.
 *      Then it calls the edit tool, and the shell again, and each tries to write a file.
 *   4. The session is idle. The second member sends a message that wakes it.
 */
import { setTimeout } from "node:timers/promises";
import { isThere } from "../platform/files/list-names.ts";
import { writeFiles } from "../platform/files/proof-place.ts";
import { type ModelRequest, startScriptedModel } from "../platform/model/scripted-model.ts";
import { startConversation } from "../platform/process/conversation.ts";
import type { Environment } from "../platform/settings/environment.ts";
import { NO_PROOF_EVIDENCE, type ProofEvidence, type WriteTry } from "../prove/rules/checks.ts";
import { type ModelStep, resultsIn, scriptMark, scriptNameIn } from "../prove/rules/script.ts";
import type { Harness } from "./contract.ts";
import type { ProofDriver, ProofPlace, ProofSession } from "./proof-driver.ts";

/** The other members of the room, and what sets the harness up. */
export interface ProofWorld {
  readonly env: Environment;
  readonly home: string;
  readonly tree: string;
  /** The harness's program, by its absolute path. */
  readonly program: string;
  /** As `tt install` does it. Throws if that is refused. */
  install(harness: string): void;
  /** A member takes the stick in a room that is guarded. */
  holdStick(): Promise<void>;
  /** Null if the message was sent, otherwise why not. */
  send(to: string, body: string, wake: "off" | "auto"): Promise<string | null>;
  /** Whether the harness's hooks, or its own files, say that its session is idle. */
  isIdle(harness: string): Promise<boolean>;
  /** Is told after every step what is known by then. */
  report(evidence: ProofEvidence): void;
}

const SCRIPT = "prove";
const MESSAGE = "The schema has changed under you.";
const WAKE = "Wake up: the build is broken.";
/** Codex looks at its queue every eight seconds. */
const WAKE_LIMIT_MS = 30_000;
/** The proof's settings let a hook at the end of a turn take half of this. */
const IDLE_LIMIT_MS = 5000;
const LOOK_EVERY_MS = 50;
const DONE: ModelStep = { text: "Done." };

export async function proveHarness({ name, prove: driver }: Harness, world: ProofWorld): Promise<void> {
  if (!driver) throw new Error(`tt cannot drive ${name} without its terminal`);
  const run = new ProofRun(name, driver, world);
  try {
    await run.run();
  } catch (error) {
    run.learn({ failure: error instanceof Error ? error.message : String(error) });
  }
}

class ProofRun {
  readonly #harness: string;
  readonly #driver: ProofDriver;
  readonly #world: ProofWorld;
  readonly #files: { readonly edit: string; readonly shell: string };
  readonly #requests: string[] = [];
  #evidence = NO_PROOF_EVIDENCE;
  #sending: Promise<string | null> | null = null;
  #onRequest: () => void = () => undefined;

  constructor(harness: string, driver: ProofDriver, world: ProofWorld) {
    this.#harness = harness;
    this.#driver = driver;
    this.#world = world;
    this.#files = { edit: `${world.tree}/by-edit.txt`, shell: `${world.tree}/by-shell.txt` };
  }

  learn(more: Partial<ProofEvidence>): void {
    this.#evidence = { ...this.#evidence, ...more };
    this.#world.report(this.#evidence);
  }

  async run(): Promise<void> {
    this.learn({ stage: "setting up" });
    const model = await startScriptedModel([this.#driver.wire], (request) => this.#answer(request));
    try {
      await this.#runWith({ ...this.#world, modelUrl: model.url });
    } finally {
      model.close();
    }
  }

  async #runWith(place: ProofPlace): Promise<void> {
    const { env, program, tree } = this.#world;
    writeFiles(place.home, this.#driver.files(place));
    this.#world.install(this.#harness);
    await this.#world.holdStick();
    this.learn({ stage: "starting the program" });
    const session = await this.#driver.start(place, (args, more) =>
      startConversation({ program, args, cwd: tree, env: { ...env, ...more } }),
    );
    await this.#runTurn(session);
    await this.#wake();
  }

  async #runTurn(session: ProofSession): Promise<void> {
    this.learn({ stage: "waiting for its first request" });
    await session.prompt(`${scriptMark(SCRIPT)} Work.`);
    if (this.#sending === null) throw new Error("it ended its turn without a request to the model");
    this.learn({ message: { problem: await this.#sending, seen: this.#isTold(MESSAGE) } });
  }

  async #wake(): Promise<void> {
    if (this.#driver.noWake !== undefined) return this.learn({ stage: "done", wake: this.#driver.noWake });
    this.learn({ stage: "waiting for the end of its turn" });
    await this.#untilIdle();
    this.learn({ stage: "waiting for the turn that a wake starts" });
    const woken = new Promise<void>((resolve) => {
      this.#onRequest = () => this.#isTold(WAKE) && resolve();
    });
    const problem = await this.#world.send(this.#harness, WAKE, "auto");
    if (problem === null) await Promise.race([woken, setTimeout(WAKE_LIMIT_MS, null, { ref: false })]);
    this.learn({ stage: "done", wake: { problem, seen: this.#isTold(WAKE) } });
  }

  /** A message sent earlier would let the turn go on, and that would prove no wake. */
  async #untilIdle(): Promise<void> {
    for (let ms = 0; ms < IDLE_LIMIT_MS && !(await this.#world.isIdle(this.#harness)); ms += LOOK_EVERY_MS) {
      await setTimeout(LOOK_EVERY_MS);
    }
  }

  #isTold(words: string): boolean {
    return this.#requests.some((text) => text.includes(words));
  }

  /** The model. Its side requests follow no script. */
  async #answer({ turns, text }: ModelRequest): Promise<ModelStep> {
    this.#requests.push(text);
    this.#onRequest();
    if (scriptNameIn(turns) !== SCRIPT) return DONE;
    this.#sending ??= this.#world.send(this.#harness, MESSAGE, "off");
    await this.#sending;
    const { edit, shell } = this.#files;
    const [read, edited, shelled] = resultsIn(turns).map((result) => result.text);
    if (read === undefined) return this.#step("trying a command that reads", this.#driver.shell("pwd"));
    if (edited === undefined) return this.#step("trying a write with its edit tool", this.#driver.edit(edit));
    if (this.#evidence.edit === null) this.learn({ edit: tried(edit, edited) });
    if (shelled === undefined)
      return this.#step("trying a write in its shell", this.#driver.shell(`echo written > ${shell}`));
    if (this.#evidence.shell === null) this.learn({ shell: tried(shell, shelled) });
    return DONE;
  }

  #step(stage: string, step: ModelStep): ModelStep {
    this.learn({ stage });
    return step;
  }
}

function tried(path: string, answer: string): WriteTry {
  return { written: isThere(path), answer };
}
