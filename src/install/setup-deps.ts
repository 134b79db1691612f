import type { ConfigFiles } from "../engine/ports/config-files.ts";
import type { ConfigFormat } from "./rules/config-format.ts";
import type { HarnessPlaces, HarnessSetup, Pins } from "./rules/harness-setup.ts";
import type { WantedFile } from "./rules/wanted-file.ts";

export interface SetupDeps {
  readonly files: ConfigFiles;
  readonly setups: readonly HarnessSetup[];
  readonly pins: Pins;
  /** Files that an earlier version has written and that none writes now. */
  readonly former: (pins: Pins) => readonly WantedFile[];
  readonly places: HarnessPlaces;
  readonly isOnPath: (program: string) => boolean;
  readonly formatOf: (path: string) => ConfigFormat;
}

/** One harness with one configuration directory: a user may have several of the same kind. */
export function userOf({ places }: SetupDeps, setup: HarnessSetup): string {
  return `${setup.name} in ${setup.directory(places)}`;
}

export function isHere({ places, isOnPath }: SetupDeps, setup: HarnessSetup): boolean {
  return isOnPath(setup.program) || places.exists(setup.directory(places));
}
