/** Setting harnesses up and taking us out of them, as the command line uses it. */
import type { Finding } from "../core/finding.ts";
import { isRefusal, type Refusal } from "../core/refusal.ts";
import { inspectSetups } from "./inspect.ts";
import type { Direction } from "./plan-harness.ts";
import type { HarnessSetup } from "./rules/harness-setup.ts";
import type { HarnessOutcome } from "./rules/plan.ts";
import { chosenSetups, planSetUp, setUp } from "./set-up.ts";
import { type SetupDeps, userOf } from "./setup-deps.ts";

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
