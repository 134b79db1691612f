/** Does what was planned for one harness. What fails halfway is taken back, so that a harness is set up or is not. */
import type { HarnessSetup } from "../../domain/install/harness-setup.ts";
import type { PlannedFile } from "../../domain/install/plan.ts";
import type { FileRecord } from "../../domain/install/wanted-file.ts";
import type { Refusal } from "../../domain/refusal.ts";
import type { Direction, FileStep } from "./plan-harness.ts";
import { type SetupDeps, userOf } from "./setup-deps.ts";

interface Done {
  readonly step: FileStep;
  readonly made: readonly string[];
  readonly planned: PlannedFile;
}

export function carryOut(
  deps: SetupDeps,
  setup: HarnessSetup,
  steps: readonly FileStep[],
  direction: Direction,
): readonly PlannedFile[] | Refusal {
  const done: Done[] = [];
  for (const step of steps) {
    const outcome = doStep(deps, setup, step);
    if ("error" in outcome) {
      for (const one of done.toReversed()) takeBack(deps, one);
      return outcome;
    }
    done.push(outcome);
  }
  remember(deps, setup, done, direction);
  return done.map(({ planned }) => planned);
}

function doStep({ files }: SetupDeps, setup: HarnessSetup, step: FileStep): Done | Refusal {
  const { planned, found, after, executable, exact } = step;
  if (planned.action === "keep") return { step, made: [], planned };
  const made = after === null ? [] : files.makeDirectoriesFor(found.target);
  const copy = copyName(setup, planned.path);
  const backup = found.text === null || exact ? null : files.keepCopy(copy, found.text);
  const problem = files.write({ target: found.target, before: found.text, after, executable });
  if (problem) {
    files.removeDirectories(made);
    return problem;
  }
  if (after !== null) files.dropCopy(copy, after);
  return { step, made, planned: { ...planned, backup } };
}

function takeBack({ files }: SetupDeps, { step, made }: Done): void {
  const { planned, found, after, executable } = step;
  if (planned.action === "keep") return;
  files.write({ target: found.target, before: after, after: found.text, executable });
  files.removeDirectories(made);
}

function remember(deps: SetupDeps, setup: HarnessSetup, done: readonly Done[], direction: Direction): void {
  const { files, pins } = deps;
  const ledger = files.readLedger();
  const user = userOf(deps, setup);
  const records = new Map<string, FileRecord>(Object.entries(ledger.files));
  for (const { step, made } of done) {
    const { path } = step.planned;
    const former = records.get(path);
    if (step.record) {
      records.set(path, { ...step.record, directories: [...step.record.directories, ...made] });
    } else {
      records.delete(path);
      files.removeDirectories(former?.directories ?? directoryOfOurs(path));
    }
  }
  const { [user]: _, ...rest } = ledger.harnesses;
  const harnesses = direction === "in" ? { ...rest, [user]: { version: pins.version, dataDir: pins.dataDir } } : rest;
  files.writeLedger({ harnesses, files: Object.fromEntries(records) });
}

/** Where nothing is remembered, only a directory of our own name is surely ours. */
function directoryOfOurs(path: string): readonly string[] {
  const directory = path.slice(0, path.lastIndexOf("/"));
  return directory.endsWith("/talking-stick") ? [directory] : [];
}

/** Files of the same name in different harnesses stay apart. */
function copyName({ name }: HarnessSetup, path: string): string {
  return `${name}-${path.slice(path.lastIndexOf("/") + 1)}`;
}
