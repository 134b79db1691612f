/** Sets harnesses up, or takes us out of them: each by itself, so that what stops one does not stop the others. */
import type { Finding } from "../core/finding.ts";
import { isRefusal, type Refusal, refuse } from "../core/refusal.ts";
import { carryOut } from "./carry-out.ts";
import { inspectSetups } from "./inspect.ts";
import { setupsElsewhere } from "./other-directories.ts";
import { type Direction, NOTHING_BEFORE, type PlannedBefore, planAlone, planHarness } from "./plan-harness.ts";
import type { HarnessSetup } from "./rules/harness-setup.ts";
import { type HarnessOutcome, type PlannedFile, refusedOutcome } from "./rules/plan.ts";
import { isHere, type SetupDeps, userOf } from "./setup-deps.ts";

export type { Direction };

export interface Installer {
  /** The user's home, for shorter paths. */
  readonly home: string;
  /** Where copies of edited files are kept. */
  readonly backups: string;
  /** What is to be known whichever harness is set up. */
  readonly notes: readonly string[];
  /** Without names, all harnesses are meant. Changes nothing. */
  plan(names: readonly string[], direction: Direction): readonly HarnessOutcome[] | Refusal;
  carryOut(names: readonly string[], direction: Direction): readonly HarnessOutcome[] | Refusal;
  inspect(): readonly Finding[];
}

export function createInstaller(deps: SetupDeps, { backups, notes }: Pick<Installer, "backups" | "notes">): Installer {
  const plan = (setups: readonly HarnessSetup[], direction: Direction) => {
    const outcomes: HarnessOutcome[] = [];
    const before = { users: [] as string[], paths: [] as string[] };
    for (const setup of setups) {
      const outcome = planSetUp(deps, setup, direction, before);
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
    inspect: () => inspectSetups(deps),
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

/** What would be done, after what was planned before it. Changes nothing. */
function planSetUp(deps: SetupDeps, setup: HarnessSetup, direction: Direction, before: PlannedBefore): HarnessOutcome {
  if (direction === "in" && !isHere(deps, setup)) return notHere(deps, setup);
  const steps = planHarness(deps, setup, direction, before);
  if (isRefusal(steps)) {
    const alone = direction === "in" ? planAlone(deps, setup, before) : [];
    return refusedOutcome(
      setup,
      steps,
      alone.map(({ planned }) => planned),
    );
  }
  const files = steps.map(({ planned }) => planned);
  return outcomeOf(setup, files, "planned", []);
}

/** Does it, by a plan of this very moment. */
export function setUp(deps: SetupDeps, setup: HarnessSetup, direction: Direction): HarnessOutcome {
  if (direction === "in" && !isHere(deps, setup)) return notHere(deps, setup);
  const steps = planHarness(deps, setup, direction, NOTHING_BEFORE);
  if (isRefusal(steps)) return refusedOutcome(setup, steps, direction === "in" ? makeAlone(deps, setup) : []);
  const files = carryOut(deps, setup, steps, direction);
  return isRefusal(files)
    ? refusedOutcome(setup, files)
    : outcomeOf(setup, files, "done", direction === "in" ? setup.notes(deps.pins) : []);
}

function makeAlone(deps: SetupDeps, setup: HarnessSetup): readonly PlannedFile[] {
  const steps = planAlone(deps, setup, NOTHING_BEFORE);
  const files = steps.length === 0 ? [] : carryOut(deps, setup, steps, "in");
  return isRefusal(files) ? [] : files;
}

function outcomeOf(
  { name, title }: HarnessSetup,
  files: readonly PlannedFile[],
  status: "planned" | "done",
  notes: readonly string[],
): HarnessOutcome {
  const isChanged = files.some(({ action }) => action !== "keep");
  const shown = { harness: name, title, files, reason: null, next: null };
  return isChanged ? { ...shown, status, notes } : { ...shown, status: "unchanged", notes: [] };
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
