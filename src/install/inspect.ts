/** What `tt doctor` finds about the harnesses: is each set up as this very `tt` would do it now? Changes nothing. */

import type { Finding } from "../core/finding.ts";
import { wordNext } from "../core/next.ts";
import { isRefusal, type Refusal } from "../core/refusal.ts";
import { shellWord } from "../core/shell-word.ts";
import type { GuardedHarness } from "../prove/rules/room-protection.ts";
import { setupsElsewhere } from "./other-directories.ts";
import { NOTHING_BEFORE, planHarness } from "./plan-harness.ts";
import { holds, isDocument, valueAt } from "./rules/entry.ts";
import type { HarnessSetup } from "./rules/harness-setup.ts";
import { isAsWanted } from "./rules/plan-file.ts";
import { type ConfigFile, versionIn, type WantedFile, type WholeFile } from "./rules/wanted-file.ts";
import { documentsOf, isHere, pinsFor, type SetupDeps, textOf, userOf, wantedFiles } from "./setup-deps.ts";

export function inspectSetups(deps: SetupDeps): readonly Finding[] {
  const findings = [...deps.setups, ...setupsElsewhere(deps)].flatMap((setup) => inspect(deps, setup));
  const { hookProgram } = deps.pins;
  const isSetUp = Object.keys(deps.files.readLedger().harnesses).length > 0;
  if (!isSetUp || deps.places.exists(hookProgram)) return findings;
  const text = `${hookProgram} is missing, so hooks do nothing`;
  return [...findings, { name: "hooks", level: "warning", text, next: "install tt again, then: tt install" }];
}

/** The harnesses of this user: which of them ask the guard, as far as their files say, and what was proven. */
export function guardedHarnesses(deps: SetupDeps): readonly GuardedHarness[] {
  return deps.setups.filter((setup) => isHere(deps, setup)).map((setup) => guardedHarness(deps, setup));
}

function guardedHarness(deps: SetupDeps, setup: HarnessSetup): GuardedHarness {
  const { name: harness, title, program } = setup;
  const isWritten = guardFiles(deps, setup).every((file) => isAsWanted(file, textOf(deps, file.path)));
  const problem = isWritten ? whyHooksDoNotRun(deps, setup) : null;
  const proven = deps.isOnPath(program) ? deps.protection(harness, program) : { protection: null, proof: null };
  return { harness, title, asks: isWritten && problem === null, problem, ...proven };
}

/** The script of the hooks, and what names the guard. A skill or a server that differs does not keep it from asking. */
function guardFiles(deps: SetupDeps, setup: HarnessSetup): readonly WantedFile[] {
  const without = wantedFiles(deps, setup, { ...deps.pins, guard: false }).map(contentOf);
  return wantedFiles(deps, setup, { ...deps.pins, guard: true }).filter(
    (file) => file.path === deps.pins.hookScript || !without.includes(contentOf(file)),
  );
}

function contentOf(file: WantedFile): string {
  return JSON.stringify(file.kind === "whole" ? file.text : file.entries);
}

function whyHooksDoNotRun(deps: SetupDeps, setup: HarnessSetup): string | null {
  const [off] = setup.switchedOff?.(deps.places, documentsOf(deps)) ?? [];
  if (off !== undefined) return `does not ask, because of a setting of yours: ${off}`;
  if (untrustedHooks(deps, setup).length === 0) return null;
  return `does not ask until you trust its hooks: start ${setup.program} and let it review them`;
}

function inspect(deps: SetupDeps, setup: HarnessSetup): readonly Finding[] {
  const record = deps.files.readLedger().harnesses[userOf(deps, setup)];
  if (!record && !isHere(deps, setup)) return [];
  const files = wantedFiles(deps, setup, pinsFor(deps, setup));
  const command = setup.command ?? `tt install ${setup.name}`;
  const plan = planHarness(deps, setup, "in", NOTHING_BEFORE);
  const next = isRefusal(plan) ? `${plan.message} ${mendedFirst(plan, command)}` : command;
  const isKnown = record !== undefined || files.some((file) => hasOurs(file, textOf(deps, file.path)));
  if (!isKnown && isRefusal(plan)) {
    const text = `${setup.title} is installed but cannot be set up yet: ${plan.message}`;
    return [warning(setup, text, mendedFirst(plan, command))];
  }
  if (!isKnown) {
    const text = `${setup.title} is installed but not set up; to set it up, run: ${command}`;
    return [{ name: setup.name, level: "ok", text, next }];
  }
  const problems = files.flatMap((file) => problemsIn(deps, file)).map((text) => warning(setup, text, next));
  const untrusted = untrustedHooks(deps, setup);
  if (untrusted.length > 0) {
    const text = `${setup.title} does not run these hooks until you trust them: ${untrusted.join(", ")}`;
    problems.push(warning(setup, text, `start ${setup.program} and let it review the hooks`));
  }
  const off = setup.switchedOff?.(deps.places, documentsOf(deps)) ?? [];
  if (off.length > 0) {
    const text = `${setup.title} is told to leave out what tt install has set up: ${off.join(", ")}`;
    problems.push(warning(setup, text, "remove that setting, unless you want it so"));
  }
  if (problems.length > 0) return problems;
  return [{ name: setup.name, level: "ok", text: `${setup.title} is set up by version ${deps.pins.version}` }];
}

/** `tt install` would be refused, so its command alone is no advice. */
function mendedFirst({ next }: Refusal, command: string): string {
  return wordNext(next).replace(/\bit again\.$/, `${command}.`);
}

function warning({ name }: HarnessSetup, text: string, next: string): Finding {
  return { name, level: "warning", text, next };
}

function untrustedHooks(deps: SetupDeps, setup: HarnessSetup): readonly string[] {
  return setup.untrustedHooks?.(deps.places, documentsOf(deps)) ?? [];
}

function hasOurs(file: WantedFile, text: string | null): boolean {
  if (text === null || file.kind === "whole") return false;
  const document = file.format.read(text);
  return file.entries.some((entry) => holds(document, entry) || file.marks.isOurs(valueAt(document, entry.path)));
}

function problemsIn(deps: SetupDeps, file: WantedFile): readonly string[] {
  const found = deps.files.look(file.path);
  if (isRefusal(found)) return [found.message];
  if (isAsWanted(file, found.text)) {
    const mustRun = file.kind === "whole" && file.executable;
    return mustRun && !found.executable ? [`${file.path} may not be executed`] : [];
  }
  if (found.text === null) return [`${file.path} is missing`];
  return file.kind === "whole" ? [wholeProblem(deps.pins, file, found.text)] : entryProblems(deps, file, found.text);
}

function wholeProblem(pins: SetupDeps["pins"], { path, executable, looks }: WholeFile, text: string): string {
  const version = versionIn(looks, text);
  if (version !== pins.version)
    return `${path} is from ${version === null ? "an unknown version" : `version ${version}`}`;
  if (!executable) return `${path} was edited, or is from another installation`;
  const moved = Object.entries({
    Node: pins.node,
    "hook program": pins.hookProgram,
    "data directory": pins.dataDir,
    ...pins.variables,
  }).find(([, value]) => !text.includes(shellWord(value)));
  return moved
    ? `${path} uses another ${moved[0]} than ${moved[1]}`
    : `${path} was edited, or written under other settings`;
}

function entryProblems(deps: SetupDeps, file: ConfigFile, text: string): readonly string[] {
  const document = file.format.read(text);
  if (document === null && file.format.isTooDeep(text)) return [`${file.path} is nested too deeply to be read`];
  if (document === null) return [`${file.path} is not valid ${file.format.name}`];
  const wrong = file.entries.filter((entry) => !holds(document, entry));
  const servers = wrong.filter(({ kind, path }) => kind === "property" && valueAt(document, path) !== undefined);
  const missing = wrong.filter((entry) => !servers.includes(entry)).map(({ path }) => path.join("."));
  return [
    ...servers.map((entry) => serverProblem(deps, file, entry.path.join("."), valueAt(document, entry.path))),
    ...(missing.length > 0 ? [`${file.path} lacks ${missing.join(", ")}, or has them in another form`] : []),
    ...(wrong.length === 0 ? [`${file.path} has hooks of another version`] : []),
  ];
}

/** Which pinned value of a server entry differs from the present one. */
function serverProblem({ pins, places }: SetupDeps, { path }: ConfigFile, key: string, value: unknown): string {
  const server = isDocument(value) ? value : {};
  const words = [server["command"], server["args"]].flat().filter((word) => typeof word === "string");
  const gone = words.find((word) => word.startsWith("/") && !places.exists(word));
  if (gone !== undefined) return `${key} in ${path} names ${gone}, which does not exist`;
  const variables = server["env"] ?? server["environment"];
  const pinned = isDocument(variables) ? variables : {};
  const names = new Set([...Object.keys(pins.variables), "TT_DATA_DIR", "TT_STORE", "TT_CONFIG"]);
  const other = [...names].find((name) => pinned[name] !== pins.variables[name]);
  if (other === undefined) return `${key} in ${path} is not what this tt would write`;
  // An address may hold a password, so only directories are told.
  const there = pinned[other];
  if (there === undefined) return `${key} in ${path} names no ${other}, which tt uses here`;
  const told = other === "TT_DATA_DIR" && typeof there === "string" ? `: ${there} there, ${pins.dataDir} here` : "";
  return `${key} in ${path} uses another ${other} than tt does here${told}`;
}
