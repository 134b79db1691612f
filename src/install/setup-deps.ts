import { isRefusal, type Refusal } from "../core/refusal.ts";
import type { ConfigFiles } from "../engine/ports/config-files.ts";
import type { HarnessProtection } from "../prove/rules/protection.ts";
import type { ConfigFormat } from "./rules/config-format.ts";
import type { HarnessPlaces, HarnessSetup, Pins, ReadDocument } from "./rules/harness-setup.ts";
import type { WantedFile, WholeFile } from "./rules/wanted-file.ts";

export interface SetupDeps {
  readonly files: ConfigFiles;
  readonly setups: readonly HarnessSetup[];
  readonly pins: Omit<Pins, "guard">;
  /** Whether to set up the guard; undefined to leave that as it is. */
  readonly guard?: boolean;
  /** The program that all hooks call. */
  readonly hookProgram: (pins: Pins) => WholeFile;
  /** Where a file of ours is kept that is not installed. Its name follows from its text. */
  readonly keptPath: (file: WholeFile) => string;
  /** Null if it is kept. A sentence says why it could not be written; a refusal, why it must not be used. */
  readonly keep: (file: WholeFile) => Refusal | string | null;
  readonly places: HarnessPlaces;
  readonly isOnPath: (program: string) => boolean;
  readonly formatOf: (path: string) => ConfigFormat;
  /** What `tt doctor --prove` has found about a harness by its name and its program. */
  readonly protection: (harness: string, program: string) => Pick<HarnessProtection, "proof" | "protection">;
}

/** One harness with one configuration directory: a user may have several of the same kind. */
export function userOf({ places }: SetupDeps, setup: HarnessSetup): string {
  return `${setup.name} in ${setup.directory(places)}`;
}

/** What is written for one harness. */
export function pinsFor(deps: SetupDeps, setup: HarnessSetup): Pins {
  return { ...deps.pins, guard: deps.guard ?? deps.files.readLedger().harnesses[userOf(deps, setup)]?.guard ?? false };
}

export function isHere({ places, isOnPath }: SetupDeps, setup: HarnessSetup): boolean {
  return isOnPath(setup.program) || places.exists(setup.directory(places));
}

/** Null if there is no such file, or if it cannot be read. */
export function textOf({ files }: SetupDeps, path: string): string | null {
  const found = files.look(path);
  return isRefusal(found) ? null : found.text;
}

export function documentsOf(deps: SetupDeps): ReadDocument {
  return (path) => deps.formatOf(path).read(textOf(deps, path) ?? "");
}

/** All files that set a harness up. Those of its own that only hold entries of ours come first. */
export function wantedFiles(deps: SetupDeps, setup: HarnessSetup, pins: Pins): readonly WantedFile[] {
  const { places, formatOf, hookProgram } = deps;
  const own = setup.files(pins, places);
  const configs = own.flatMap((file) => (file.kind === "config" ? [{ ...file, format: formatOf(file.path) }] : []));
  const wholes = own.filter((file) => file.kind === "whole");
  return [...configs, hookProgram(pins), ...wholes, skillFile(setup.skills(places), pins)];
}

/** Where earlier versions kept the hooks' program: in the data directory, where agents' shells may write. */
export function formerFile({ hookProgram }: SetupDeps, pins: Pins): WantedFile {
  return hookProgram({ ...pins, hookScript: `${pins.dataDir}/hooks/tt-hook` });
}

function skillFile(directory: string, { skill, version }: Pins): WholeFile {
  return {
    kind: "whole",
    path: `${directory}/talking-stick/SKILL.md`,
    text: `${skill.trimEnd()}\n\n<!-- talking-stick ${version} -->\n`,
    executable: false,
    what: "the skill",
    standsAlone: true,
    looks: { mark: /\n<!-- talking-stick (\d\S*) -->\n$/, pinned: /^---\nname: talking-stick\n/ },
  };
}
