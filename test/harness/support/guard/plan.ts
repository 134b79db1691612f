/** The scripts that lead a model through the phases, and the marks at which it waits between them. */
import type { HarnessWorld, Mark } from "../harness-world.ts";
import type { Scripts, Step } from "../script.ts";
import type { Attempt } from "./attempts.ts";
import type { Holder, Phase } from "./phases.ts";
import type { GuardedHarness } from "./tools.ts";

/** The script of the session itself. */
export const TABLE = "table";

const HANDOFF = { status: "tried", next_action: "try again" };

export interface PlannedPhase {
  readonly phase: Phase;
  /** The model has come so far and waits. */
  readonly arrived: readonly Mark[];
  /** It goes on. */
  readonly go: Mark;
  readonly tried: readonly Tried[];
}

/** `index`: which answer of the script counts. */
interface Tried {
  readonly script: string;
  readonly index: number;
  readonly attempt: Attempt;
}

export interface Plan {
  readonly scripts: Scripts;
  /** After the last phase the session waits once more, for its subagents. */
  readonly phases: readonly PlannedPhase[];
  readonly end: Omit<PlannedPhase, "phase" | "tried">;
}

export interface PhaseAttempts {
  readonly phase: Phase;
  readonly own: readonly Attempt[];
  /** None if the phase has no subagent. */
  readonly delegated: readonly Attempt[];
}

export function planFor(world: HarnessWorld, harness: GuardedHarness, all: readonly PhaseAttempts[]): Plan {
  const { driver, subagent } = harness;
  const scripts: Record<string, readonly Step[]> = {};
  const steps: Step[] = [];
  const stick = new StickSteps(driver.ours);
  /** What must be over before the next phase begins. */
  let running: readonly Mark[] = [];
  const phases = all.map(({ phase, own, delegated }): PlannedPhase => {
    const { key } = phase;
    const [here, go] = [world.mark(`${key}-here`), world.mark(`${key}-go`)];
    const first = steps.length;
    steps.push(...stick.stepsTo(phase.holder, steps.length));
    const tried = own.map((attempt) => {
      steps.push(...attempt.steps);
      return { script: TABLE, index: steps.length - 1, attempt };
    });
    const arrived = [here, ...running];
    running = [];
    if (delegated.length > 0) {
      const [script, over] = [`sub-${key}`, world.mark(`${key}-sub`)];
      const theirs: Step[] = [];
      for (const attempt of delegated) {
        theirs.push(...attempt.steps);
        tried.push({ script, index: theirs.length - 1, attempt });
      }
      const [last = { text: "Done." }] = subagent.end;
      scripts[script] = [...theirs, { ...last, reached: over.path }];
      steps.push(subagent.start(`<<script ${script}>>`));
      running = [over];
    }
    steps[first] = { ...steps[first], reached: here.path, waitFor: go.path };
    return { phase, arrived, go, tried };
  });
  const [here, go] = [world.mark("end-here"), world.mark("end-go")];
  steps.push({ text: "Done.", reached: here.path, waitFor: go.path });
  return { scripts: { ...scripts, [TABLE]: steps }, phases, end: { arrived: [here, ...running], go } };
}

/** The session takes the stick and gives it back by itself. */
class StickSteps {
  readonly #ours: GuardedHarness["driver"]["ours"];
  /** The number of the answer that has the lease. */
  #granted: number | null = null;

  constructor(ours: GuardedHarness["driver"]["ours"]) {
    this.#ours = ours;
  }

  stepsTo(holder: Holder, before: number): readonly Step[] {
    const granted = this.#granted;
    if (holder === "the caller") {
      if (granted !== null) return [];
      this.#granted = before + 1;
      return [this.#ours("wait_for_turn")];
    }
    if (granted === null) return [];
    this.#granted = null;
    const turn = { lease_id: `$${granted}.lease_id`, expected_turn_id: `$${granted}.turn_id` };
    return [this.#ours("release_stick", { ...turn, handoff: HANDOFF })];
  }
}
