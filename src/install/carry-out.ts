/**
 * Carries out the plan for one harness. A failure halfway is rolled back, so that a harness is set up wholly or not at
 * all. An addition is recorded before it is made, and a removal is forgotten only after: so after a crash in between,
 * uninstall can still remove everything.
 */

import { isRefusal, type Refusal } from "../core/refusal.ts";
import type { Direction, FileStep } from "./plan-harness.ts";
import type { HarnessSetup } from "./rules/harness-setup.ts";
import type { PlannedFile } from "./rules/plan.ts";
import type { Ledger } from "./rules/wanted-file.ts";
import { pinsFor, type SetupDeps, userOf } from "./setup-deps.ts";

interface Prepared {
  readonly step: FileStep;
  /** Directories that are made for it. */
  readonly made: readonly string[];
}

export function carryOut(
  deps: SetupDeps,
  setup: HarnessSetup,
  steps: readonly FileStep[],
  direction: Direction,
): readonly PlannedFile[] | Refusal {
  const { files } = deps;
  const before = files.readLedger();
  const prepared = steps.map((step) => ({ step, made: directoriesFor(deps, step) }));
  for (const { found } of steps) files.sweep(found.target);
  files.writeLedger(withComing(before, prepared));
  const done: PlannedFile[] = [];
  const takeBackAll = () => {
    for (const { step } of prepared.slice(0, done.length).toReversed()) takeBack(deps, step);
    for (const { made } of prepared.toReversed()) files.removeDirectories(made);
    files.writeLedger(before);
  };
  try {
    for (const { made } of prepared) files.makeDirectories(made);
    for (const { step } of prepared) {
      const outcome = doStep(deps, setup, step);
      if (isRefusal(outcome)) {
        takeBackAll();
        return outcome;
      }
      done.push(outcome);
    }
  } catch (error) {
    takeBackAll();
    throw error;
  }
  forget(deps, setup, steps, direction);
  return done;
}

function directoriesFor({ files }: SetupDeps, { planned, after, found, directories }: FileStep): readonly string[] {
  const own = planned.action === "keep" || after === null ? [] : [found.target];
  return [...own, ...directories.map((directory) => `${directory}/.`)].flatMap((path) => files.missingAbove(path));
}

function doStep({ files }: SetupDeps, setup: HarnessSetup, step: FileStep): PlannedFile | Refusal {
  const { planned, found, after, executable, exact } = step;
  if (planned.action === "keep") return planned;
  const copy = copyName(setup, planned.path);
  const backup = found.text === null || exact ? null : files.keepCopy(copy, found.text);
  const problem = files.write({ target: found.target, before: found.text, after, executable });
  if (problem) return problem;
  if (after !== null) files.dropCopy(copy, after);
  return { ...planned, backup };
}

function takeBack({ files }: SetupDeps, { planned, found, after, executable }: FileStep): void {
  if (planned.action !== "keep") files.write({ target: found.target, before: after, after: found.text, executable });
}

function withComing(ledger: Ledger, prepared: readonly Prepared[]): Ledger {
  const coming = prepared.flatMap(({ step: { planned, record }, made }) =>
    record ? [[planned.path, { ...record, directories: [...record.directories, ...made] }] as const] : [],
  );
  return { ...ledger, files: { ...ledger.files, ...Object.fromEntries(coming) } };
}

function forget(deps: SetupDeps, setup: HarnessSetup, steps: readonly FileStep[], direction: Direction): void {
  const { files } = deps;
  const { version, dataDir, guard } = pinsFor(deps, setup);
  const ledger = files.readLedger();
  const records = { ...ledger.files };
  for (const { planned } of steps.filter(({ record }) => record === null)) {
    files.removeDirectories(records[planned.path]?.directories ?? directoryOfOurs(planned.path));
    delete records[planned.path];
  }
  const { [userOf(deps, setup)]: _, ...rest } = ledger.harnesses;
  const own = { [userOf(deps, setup)]: { version, dataDir, ...(guard && { guard }) } };
  files.writeLedger({ ...ledger, harnesses: direction === "in" ? { ...rest, ...own } : rest, files: records });
}

/** Without a record, only a directory of our own name, or with a file of our name, is surely ours. */
function directoryOfOurs(path: string): readonly string[] {
  const directory = path.slice(0, path.lastIndexOf("/"));
  return /\/talking-stick\/[^/]+$|\/hooks\/tt-hook$/.test(path) ? [directory] : [];
}

/** Files of the same name in different harnesses stay apart. */
function copyName({ name }: HarnessSetup, path: string): string {
  return `${name}-${path.slice(path.lastIndexOf("/") + 1)}`;
}
