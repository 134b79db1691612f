/** A harness may have been set up in several configuration directories, of which the environment names one at a time. */

import { shellWord } from "../core/shell-word.ts";
import type { HarnessPlaces, HarnessSetup } from "./rules/harness-setup.ts";
import { type SetupDeps, userOf } from "./setup-deps.ts";

/** Those that are remembered besides the ones that the environment names now. */
export function setupsElsewhere(deps: SetupDeps): readonly HarnessSetup[] {
  const here = deps.setups.map((setup) => userOf(deps, setup));
  return Object.keys(deps.files.readLedger().harnesses)
    .filter((user) => !here.includes(user))
    .flatMap((user) => {
      const setup = deps.setups.find(({ name }) => user.startsWith(`${name} in `));
      return setup ? [setupAt(deps.places, setup, user.slice(`${setup.name} in `.length))] : [];
    });
}

function setupAt(places: HarnessPlaces, setup: HarnessSetup, directory: string): HarnessSetup {
  const plain = withVariables(places, setup.leadTo(null));
  const isPlain = setup.directory(plain) === directory;
  const at = isPlain ? plain : withVariables(places, setup.leadTo(directory));
  return {
    ...setup,
    title: `${setup.title} in ${directory}`,
    command: commandAt(setup, isPlain ? null : directory),
    directory: () => directory,
    files: (pins) => setup.files(pins, at),
    skills: () => setup.skills(at),
    untrustedHooks: (_, read) => setup.untrustedHooks?.(at, read) ?? [],
    switchedOff: (_, read) => setup.switchedOff?.(at, read) ?? [],
  };
}

function withVariables(places: HarnessPlaces, variables: HarnessPlaces["env"]): HarnessPlaces {
  return { ...places, env: { ...places.env, ...variables } };
}

/** What sets it up there. */
function commandAt(setup: HarnessSetup, directory: string | null): string {
  const words = Object.entries(setup.leadTo(directory)).map(([name, value = ""]) => `${name}=${shellWord(value)}`);
  return [...words, "tt install", setup.name].join(" ");
}
