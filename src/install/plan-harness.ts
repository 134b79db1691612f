/**
 * The plan for one harness, from what is on the disk now. Planning changes nothing. If one file is unusable, the whole
 * harness is refused: half a setup would be worse than none. Only some files are created anyway: they do nothing by
 * themselves, and a person who writes the rest by hand needs them.
 */

import { isRefusal, type Refusal, refuse } from "../core/refusal.ts";
import type { FoundFile } from "../engine/ports/config-files.ts";
import { hideValues } from "./rules/config-format.ts";
import type { HarnessSetup } from "./rules/harness-setup.ts";
import { lineDiff } from "./rules/line-diff.ts";
import { keyInTheWay } from "./rules/own-entries.ts";
import type { FileAction, PlannedFile } from "./rules/plan.ts";
import { type FileChange, type Obstacle, planIn, planOut } from "./rules/plan-file.ts";
import type { ConfigFile, FileRecord, Ledger, Looks, WantedFile } from "./rules/wanted-file.ts";
import { formerFile, pinsFor, type SetupDeps, userOf, wantedFiles } from "./setup-deps.ts";

export type Direction = "in" | "out";

/** One file as it is and as planned. */
export interface FileStep {
  readonly planned: PlannedFile;
  readonly found: FoundFile;
  readonly after: string | null;
  readonly executable: boolean;
  readonly exact: boolean;
  /** Directories that must exist besides the directory of the file. */
  readonly directories: readonly string[];
  /** The new record; null when nothing of ours is left. */
  readonly record: FileRecord | null;
}

/** Harnesses share files. What the same run has planned for other harnesses counts as done. */
export interface PlannedBefore {
  readonly users: readonly string[];
  readonly paths: readonly string[];
}

export const NOTHING_BEFORE: PlannedBefore = { users: [], paths: [] };

export function planHarness(
  deps: SetupDeps,
  setup: HarnessSetup,
  direction: Direction,
  before: PlannedBefore,
): readonly FileStep[] | Refusal {
  const ledger = deps.files.readLedger();
  const user = userOf(deps, setup);
  const known = ledger.harnesses[user];
  const now = pinsFor(deps, setup);
  const pins = direction === "out" && known ? { ...now, dataDir: known.dataDir } : now;
  const wanted = wantedFiles(deps, setup, pins);
  const former = [
    ...leftovers(deps, ledger, user, wanted),
    ...[formerFile(deps, pins)].filter(({ path }) => ledger.files[path] === undefined),
  ];
  const steps: FileStep[] = [];
  for (const file of [...former, ...wanted]) {
    const leaving: readonly [string, ...string[]] = direction === "out" ? [user, ...before.users] : [user];
    const step = planStep({ deps, ledger, leaving, file, direction: former.includes(file) ? "out" : direction });
    if (isRefusal(step)) return step;
    if (step !== null && !before.paths.includes(file.path)) steps.push(step);
  }
  return steps;
}

/** The files to create for a harness that cannot be set up; none if that is impossible, too. */
export function planAlone(deps: SetupDeps, setup: HarnessSetup, before: PlannedBefore): readonly FileStep[] {
  const ledger = deps.files.readLedger();
  const wanted = wantedFiles(deps, setup, pinsFor(deps, setup)).filter(
    (file) => file.kind === "whole" && file.standsAlone,
  );
  const steps: FileStep[] = [];
  for (const file of wanted.filter(({ path }) => !before.paths.includes(path))) {
    const step = planStep({ deps, ledger, leaving: [userOf(deps, setup)], file, direction: "in" });
    if (step === null || isRefusal(step)) return [];
    steps.push(step);
  }
  return steps;
}

/** A file that is not wanted any more is recognised only by our mark. */
const ANY: Looks = {
  mark: /(?:^#!\/bin\/sh\n# |^\/\/ |\n<!-- )talking-stick (\d\S*)(?:\n| -->\n$)/,
  pinned: /^/,
};

/** Files that were written for this harness before and are not wanted any more. */
function leftovers(
  deps: SetupDeps,
  { files }: Ledger,
  user: string,
  wanted: readonly WantedFile[],
): readonly WantedFile[] {
  const paths = new Set(wanted.map(({ path }) => path));
  return Object.entries(files)
    .filter(([path, { users }]) => users.includes(user) && !paths.has(path))
    .map(([path, { written }]) =>
      written.length > 0
        ? {
            kind: "config",
            path,
            format: deps.formatOf(path),
            entries: [],
            marks: { isOurs: () => false, lists: null },
          }
        : { kind: "whole", path, text: "", executable: false, what: "of an earlier set-up", looks: ANY },
    );
}

interface WantedStep {
  readonly deps: SetupDeps;
  readonly ledger: Ledger;
  /** The harness itself; at uninstall, also those that are removed with it. */
  readonly leaving: readonly [string, ...string[]];
  readonly file: WantedFile;
  readonly direction: Direction;
}

function planStep(wanted: WantedStep): FileStep | Refusal | null {
  const step = lookAndPlan(wanted);
  if (step === null || isRefusal(step)) return step;
  // A file that is already right need not be writable.
  return step.planned.action === "keep" ? step : (step.found.locked ?? step);
}

function lookAndPlan({ deps, ledger, leaving, file, direction }: WantedStep): FileStep | Refusal | null {
  const found = deps.files.look(file.path);
  if (isRefusal(found)) return found;
  const record = ledger.files[file.path] ?? null;
  if (direction === "in") {
    const change = planIn(file, found.text, record);
    return typeof change === "string"
      ? obstacle(file, change, found.text)
      : stepOf(file, found, change, shared(record, leaving[0], change));
  }
  const others = record?.users.filter((one) => !leaving.includes(one)) ?? [];
  if (record && others.length > 0) return untouched(file, found, { ...record, users: others });
  const change = planOut(file, found.text, record);
  if (typeof change === "string") return obstacle(file, change, found.text);
  if (change !== null) return stepOf(file, found, change, null);
  return record ? untouched(file, found, null) : null;
}

function shared(record: FileRecord | null, user: string, { record: change }: FileChange): FileRecord {
  const users = [...new Set([...(record?.users ?? []), user])];
  return { users, directories: record?.directories ?? [], ...change };
}

function stepOf(file: WantedFile, found: FoundFile, change: FileChange, record: FileRecord | null): FileStep {
  const action = actionOf(file, found, change.after, record);
  const written = record?.written ?? [];
  const entries = file.kind === "config" ? (file.entries.length > 0 ? file.entries : written) : [];
  const planned = {
    path: file.path,
    action,
    keys: action === "keep" ? [] : [...new Set(entries.map(({ path }) => path.join(".")))],
    diff:
      file.kind === "whole" || action === "keep"
        ? []
        : lineDiff(shownOf(file, found.text), shownOf(file, change.after)),
    what: file.kind === "whole" ? file.what : null,
    backup: null,
  };
  const executable = file.kind === "whole" && file.executable;
  const directories = (file.kind === "config" && change.after !== null && record !== null && file.directories) || [];
  return { planned, found, after: change.after, executable, exact: change.exact, directories, record };
}

function shownOf({ format, entries }: ConfigFile, text: string | null): string | null {
  return text && hideValues(format, text, entries);
}

function actionOf(
  file: WantedFile,
  { text: before, executable }: FoundFile,
  after: string | null,
  record: FileRecord | null,
): FileAction {
  const mustRun = file.kind === "whole" && file.executable;
  if (before === after) return mustRun && !executable ? "replace" : "keep";
  if (before === null) return "make";
  if (after === null) return "remove";
  if (file.kind === "config") return "edit";
  return record === null ? "restore" : "replace";
}

function untouched(file: WantedFile, found: FoundFile, record: FileRecord | null): FileStep {
  const planned = { path: file.path, action: "keep" as const, keys: [], diff: [], what: null, backup: null };
  return { planned, found, after: found.text, executable: false, exact: true, directories: [], record };
}

/** Why a file of a harness stops its set-up: which file, which key and where, and what its user can do about it. */
function obstacle(file: WantedFile, what: Obstacle, text: string | null): Refusal {
  const { path } = file;
  if (what === "broken" && file.kind === "config" && file.format.isTooDeep(text ?? "")) {
    const next = "Write our entries by hand as docs/install.md shows, or nest it less deeply and run it again.";
    return refuse("invalid_path", `${path} is nested too deeply to be edited safely.`, next, { path });
  }
  if (what === "broken") {
    const name = file.kind === "config" ? file.format.name : "text";
    const place = file.kind === "config" ? file.format.whereBroken(text ?? "") : null;
    const where = place === null ? "" : ` (${place})`;
    return refuse("invalid_path", `${path} is not valid ${name}${where}.`, "Correct it, then run it again.", { path });
  }
  return occupied(file, text ?? "");
}

function occupied(file: WantedFile, text: string): Refusal {
  const { path } = file;
  const config = file.kind === "config" ? file : null;
  const key = config && keyInTheWay(config.format, text, config);
  const place = key && config.format.whereIs(text, key);
  const name = key ? key.join(".") : "Something";
  const where = place === null ? "" : ` (${place})`;
  const ours = config?.entries.map((entry) => entry.path.join(".")).join(", ") ?? "";
  const next = `Change or move ${key ? name : "what is there"}, or write our ${ours} by hand as docs/install.md shows, then run it again.`;
  return refuse("invalid_path", `${name} in ${path}${where} conflicts with our entries.`, next, { path });
}
