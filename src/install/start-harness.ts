/**
 * What starts a harness with our tools and hooks for one run. Its own files stay as they are: what they lack comes by words
 * and variables. Files of ours that the hooks need are kept in the user's cache, where agents in a sandbox may not write.
 */
import { isRefusal, type Refusal } from "../core/refusal.ts";
import { shellQuoted } from "../core/shell-word.ts";
import { type Document, documentOf, type Entry, holds, itemsAt, valueAt } from "./rules/entry.ts";
import type { HarnessSetup, Lacking, Pins } from "./rules/harness-setup.ts";
import { isAsWanted } from "./rules/plan-file.ts";
import { type ConfigFile, isOurText, type WholeFile } from "./rules/wanted-file.ts";
import { documentsOf, pinsFor, type SetupDeps, textOf } from "./setup-deps.ts";

export interface StartPlan {
  readonly program: string;
  readonly words: readonly string[];
  /** Variables besides those of the caller. */
  readonly env: Readonly<Record<string, string>>;
  /** What it lacks of ours, in sentences. */
  readonly missing: readonly string[];
}

export function planStart(deps: SetupDeps, setup: HarnessSetup, words: readonly string[]): StartPlan | Refusal {
  const script = deps.hookProgram({ ...deps.pins, guard: true });
  // The guard's hook ends at once unless a person has switched the guard on in some room.
  const pins = { ...deps.pins, guard: true, hookScript: deps.keptPath(script) };
  const { entries, files, directories } = lackingIn(deps, setup, pins);
  const plan = { program: setup.program, words, env: {} };
  const install = `To set it up: ${setup.command ?? `tt install ${setup.name}`}`;
  const hindering = hindrances(deps, setup);
  if (entries.length === 0 && files.length === 0) {
    return { ...plan, missing: [...hindering, ...outdated(deps, setup)] };
  }
  if (!setup.forOneRun) {
    // An installation mends what is outdated, but it changes no setting of the user.
    return { ...plan, missing: [...hindering, `${setup.title} takes no tools or hooks for one run. ${install}`] };
  }
  const flaws = [...hindering, ...outdated(deps, setup)];
  for (const directory of directories) deps.files.makeDirectories(deps.files.missingAbove(`${directory}/.`));
  const others = entries.filter((entry) => !namesFile(entry, pins.hookScript));
  const hasHooks = files.length > 0 || others.length < entries.length;
  const problem = keepAll(deps, hasHooks ? [script, ...files] : []);
  if (isRefusal(problem)) return problem;
  const lacking: Lacking = {
    entries: documentOf(problem === null ? entries : others),
    files: problem === null ? files.map(deps.keptPath) : [],
    words,
  };
  const { words: ours = [], env = {}, missing = [] } = setup.forOneRun(lacking, deps.places);
  const unkept = problem === null ? [] : [`Our hooks are left out: ${problem}`];
  return { ...plan, words: [...ours, ...words], env, missing: [...flaws, ...unkept, ...missing] };
}

function keepAll(deps: SetupDeps, files: readonly WholeFile[]): Refusal | string | null {
  for (const file of files) {
    const problem = deps.keep(file);
    if (problem !== null) return problem;
  }
  return null;
}

/** As a shell is told it. */
function namesFile({ value }: Entry, path: string): boolean {
  return JSON.stringify(value).includes(JSON.stringify(shellQuoted(path)).slice(1, -1));
}

interface LackingParts {
  readonly entries: readonly Entry[];
  readonly files: readonly WholeFile[];
  readonly directories: readonly string[];
}

function lackingIn(deps: SetupDeps, setup: HarnessSetup, pins: Pins): LackingParts {
  const read = documentsOf(deps);
  const wanted = setup.files(pins, deps.places);
  const configs = wanted.filter((file) => file.kind === "config");
  const entries = configs.flatMap((file) => {
    const document = read(file.path);
    return file.entries.filter((entry) => !isThere(document, entry, file.marks));
  });
  const files = wanted
    .filter((file) => file.kind === "whole")
    .filter(
      (file) => !isOurText(file, textOf(deps, file.path) ?? "", deps.files.readLedger().files[file.path] ?? null),
    );
  return { entries, files, directories: configs.flatMap((file) => file.directories ?? []) };
}

/** An entry of any version of ours counts, and a server by our name that a person wrote. */
function isThere(document: Document | null, entry: Entry, { isOurs }: ConfigFile["marks"]): boolean {
  if (entry.kind === "property") return valueAt(document, entry.path) !== undefined;
  return holds(document, entry) || itemsAt(document, entry.path).some(isOurs);
}

/** Settings of the user that keep what is installed, or what comes with this run, from working. */
function hindrances(deps: SetupDeps, setup: HarnessSetup): readonly string[] {
  const read = documentsOf(deps);
  const off = setup.switchedOff?.(deps.places, read) ?? [];
  const untrusted = setup.untrustedHooks?.(deps.places, read) ?? [];
  return [
    ...(off.length > 0 ? [`${setup.title} is told to leave out our tools or hooks: ${off.join(", ")}.`] : []),
    ...(untrusted.length > 0 ? [`${setup.title} runs our hooks only after you trust them; it asks for that.`] : []),
  ];
}

/** What is installed, but not as this tt would install it. */
function outdated(deps: SetupDeps, setup: HarnessSetup): readonly string[] {
  const files = setup.files(pinsFor(deps, setup), deps.places);
  const isOutdated = files.some((file) => {
    const text = textOf(deps, file.path);
    if (file.kind === "whole") return text !== null && text !== file.text && isOurText(file, text, null);
    const config = { ...file, format: deps.formatOf(file.path) };
    const document = config.format.read(text ?? "");
    return file.entries.some((entry) => isThere(document, entry, file.marks)) && !isAsWanted(config, text);
  });
  return isOutdated ? [`${setup.title} is set up in another way than this tt would do it: tt doctor`] : [];
}
