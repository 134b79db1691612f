/** Sets harnesses up, or takes us out of them: each by itself, so that what stops one does not stop the others. */
import type { Finding } from "../core/finding.ts";
import { isRefusal, type Refusal, refuse } from "../core/refusal.ts";
import type { HarnessProtection } from "../prove/rules/protection.ts";
import type { GuardedHarness } from "../prove/rules/room-protection.ts";
import { carryOut } from "./carry-out.ts";
import { guardedHarnesses, inspectSetups } from "./inspect.ts";
import { setupsElsewhere } from "./other-directories.ts";
import {
  type Direction,
  type FileStep,
  NOTHING_BEFORE,
  type PlannedBefore,
  planAlone,
  planHarness,
} from "./plan-harness.ts";
import type { HarnessSetup } from "./rules/harness-setup.ts";
import { type HarnessOutcome, type PlannedFile, refusedOutcome } from "./rules/plan.ts";
import { isHere, pinsFor, type SetupDeps, userOf } from "./setup-deps.ts";
import { planStart, type StartPlan } from "./start-harness.ts";

export type { Direction };

export interface Installer {
  /** The user's home, for shorter paths. */
  readonly home: string;
  /** Where copies of edited files are kept. */
  readonly backups: string;
  /** Notes for the user that do not depend on the harness. */
  readonly notes: readonly string[];
  /** Without names, all harnesses are meant. Changes nothing. */
  plan(names: readonly string[], direction: Direction): readonly HarnessOutcome[] | Refusal;
  carryOut(names: readonly string[], direction: Direction): readonly HarnessOutcome[] | Refusal;
  /** What starts one with our tools and hooks, followed by these words. It writes no file of the harness. */
  start(name: string, words: readonly string[]): StartPlan | Refusal;
  /** The titles of the harnesses that stay set up if the named ones are not. Without names, none. */
  setUpBesides(names: readonly string[]): readonly string[];
  inspect(): readonly Finding[];
  guarded(): readonly GuardedHarness[];
  /** How far each harness that is here is proven to refuse writes without the stick. */
  protections(): readonly HarnessProtection[];
}

export function createInstaller(deps: SetupDeps, { backups, notes }: Pick<Installer, "backups" | "notes">): Installer {
  /** What would be done, for each after what was planned before it. */
  const plan = (setups: readonly HarnessSetup[], direction: Direction) => {
    const outcomes: HarnessOutcome[] = [];
    const before = { users: [] as string[], paths: [] as string[] };
    for (const setup of setups) {
      const outcome = outcomeOf(deps, setup, { direction, before, status: "planned", done: plannedFiles });
      outcomes.push(outcome);
      if (outcome.status !== "refused") before.users.push(userOf(deps, setup));
      before.paths.push(...outcome.files.filter(({ action }) => action !== "keep").map(({ path }) => path));
    }
    return outcomes;
  };
  return {
    home: deps.places.home,
    backups,
    notes,
    plan(names, direction) {
      const setups = chosenSetups(deps, names, direction);
      return isRefusal(setups) ? setups : plan(setups, direction);
    },
    carryOut(names, direction) {
      return deps.files.alone(() => {
        const setups = chosenSetups(deps, names, direction);
        return isRefusal(setups) ? setups : setups.map((setup) => setUp(deps, setup, direction));
      });
    },
    start(name, words) {
      const setups = chosenSetups(deps, [name], "in");
      return isRefusal(setups) ? setups : planStart(deps, setups[0] as HarnessSetup, words);
    },
    setUpBesides(names) {
      const { harnesses } = deps.files.readLedger();
      const others = names.length === 0 ? [] : [...deps.setups, ...setupsElsewhere(deps)];
      const named = chosenSetups(deps, names, "out");
      return others
        .filter((setup) => harnesses[userOf(deps, setup)] && !isRefusal(named) && !named.includes(setup))
        .map(({ title }) => title);
    },
    inspect: () => inspectSetups(deps),
    guarded: () => guardedHarnesses(deps),
    protections() {
      const here = deps.setups.filter(({ program }) => deps.isOnPath(program));
      return here.map(({ name, title, program }) => ({ harness: name, title, ...deps.protection(name, program) }));
    },
  };
}

/** The harnesses that are meant; without names, all, and to go out of them, wherever we are. */
function chosenSetups(
  deps: SetupDeps,
  names: readonly string[],
  direction: Direction,
): readonly HarnessSetup[] | Refusal {
  const { setups } = deps;
  const unknown = names.find((name) => !setups.some((setup) => setup.name === name));
  if (unknown !== undefined) {
    const known = setups.map(({ name }) => name);
    return refuse("invalid_input", `There is no harness ${JSON.stringify(unknown)}.`, `Name ${known.join(", ")}.`, {
      field: "harness",
    });
  }
  if (names.length === 0) return direction === "in" ? setups : [...setups, ...setupsElsewhere(deps)];
  return setups.filter(({ name }) => names.includes(name));
}

/** Does it, by a plan of this very moment. */
export function setUp(deps: SetupDeps, setup: HarnessSetup, direction: Direction): HarnessOutcome {
  const done = (steps: readonly FileStep[]) => carryOut(deps, setup, steps, direction);
  return outcomeOf(deps, setup, { direction, before: NOTHING_BEFORE, status: "done", done });
}

function plannedFiles(steps: readonly FileStep[]): readonly PlannedFile[] {
  return steps.map(({ planned }) => planned);
}

interface Work {
  readonly direction: Direction;
  readonly before: PlannedBefore;
  readonly status: "planned" | "done";
  /** What becomes of the files. */
  readonly done: (steps: readonly FileStep[]) => readonly PlannedFile[] | Refusal;
}

function outcomeOf(deps: SetupDeps, setup: HarnessSetup, { direction, before, status, done }: Work): HarnessOutcome {
  if (direction === "in" && !isHere(deps, setup)) return notHere(deps, setup);
  const steps = planHarness(deps, setup, direction, before);
  if (isRefusal(steps)) {
    const alone = direction === "in" ? planAlone(deps, setup, before) : [];
    const made = alone.length === 0 ? [] : done(alone);
    return refusedOutcome(setup, steps, isRefusal(made) ? [] : made);
  }
  const files = done(steps);
  if (isRefusal(files)) return refusedOutcome(setup, files);
  const isChanged = files.some(({ action }) => action !== "keep");
  return {
    harness: setup.name,
    title: setup.title,
    status: isChanged ? status : "unchanged",
    files,
    reason: null,
    next: null,
    notes: isChanged && status === "done" && direction === "in" ? setup.notes(pinsFor(deps, setup)) : [],
  };
}

function notHere({ places }: SetupDeps, setup: HarnessSetup): HarnessOutcome {
  return {
    harness: setup.name,
    title: setup.title,
    status: "skipped",
    files: [],
    reason: `There is no ${setup.program} on the path and no ${setup.directory(places)}.`,
    next: `Install ${setup.title} first, or leave it out.`,
    notes: [],
  };
}
