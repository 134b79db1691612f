/** Wires the installer: where everything is, what is pinned, and the texts that are installed. */

import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import skill from "../../skills/talking-stick/SKILL.md";
import { hasPassword } from "../core/postgres-address.ts";
import { invalidInput, isRefusal, type Refusal } from "../core/refusal.ts";
import { HARNESSES } from "../harness/harnesses.ts";
import { hookProgramFile } from "../harness/hook-script.ts";
import { jsonc } from "../install/formats/jsonc.ts";
import { toml } from "../install/formats/toml.ts";
import { createInstaller, type Installer } from "../install/installer.ts";
import type { Pins } from "../install/rules/harness-setup.ts";
import type { SetupDeps } from "../install/setup-deps.ts";
import { cacheDirectory } from "../platform/code/code-cache.ts";
import { openConfigFiles } from "../platform/files/config-files.ts";
import { sha256Hex } from "../platform/files/digest.ts";
import { homeDirectory } from "../platform/files/home-directory.ts";
import { copiesIn, hookScriptIn, stateDirectoryIn } from "../platform/files/install-records.ts";
import { keepFile } from "../platform/files/kept-file.ts";
import { isThere } from "../platform/files/list-names.ts";
import { programMark, readProofs } from "../platform/files/proof-records.ts";
import { realPlaceOf } from "../platform/files/real-place.ts";
import { findProgram, isOnPath } from "../platform/process/find-program.ts";
import type { Environment } from "../platform/settings/environment.ts";
import { protectionOf } from "../prove/rules/protection.ts";

interface InstallerOptions {
  readonly env: Environment;
  /** The current directory. */
  readonly project: string;
  readonly version: string;
  readonly dataDir: string;
  readonly sharedStore: boolean;
  /** For uninstall: what an install would write now does not matter. */
  readonly toUndo: boolean;
  /** Whether to set up the guard; undefined to leave that as it is. */
  readonly guard?: boolean | undefined;
}

export function openInstaller({
  env,
  project,
  version,
  dataDir,
  sharedStore,
  toUndo,
  guard,
}: InstallerOptions): Installer | Refusal {
  const home = homeDirectory(env);
  if (home === null) return invalidInput("HOME", "There is no home directory, so nothing can be set up.", "Set HOME.");
  const variables = toUndo ? {} : pinnedVariables(env, dataDir);
  if (isRefusal(variables)) return variables;
  const state = stateDirectoryIn(home);
  const pins = { ...programs(), hookScript: hookScriptIn(state), version, dataDir, variables, sharedStore, skill };
  const cache = cacheDirectory(env) ?? join(home, ".cache/tt");
  const keptPath = keptIn(cache);
  const unsafe = toUndo ? null : programInside(pins);
  if (unsafe) return unsafe;
  return createInstaller(
    {
      files: openConfigFiles(state),
      setups: HARNESSES.map(({ name, title, setup }) => ({ name, title, ...setup })),
      pins,
      ...(guard !== undefined && { guard }),
      hookProgram: hookProgramFile,
      keptPath,
      keep(file) {
        const path = keptPath(file);
        return programInside({ ...pins, hookScript: path }) ?? keepFile(cache, { ...file, path });
      },
      places: { env, home, project, exists: isThere, real: (path) => realPlaceOf(join(path, "x")).above },
      isOnPath: (program) => isOnPath(env, program),
      protection: protections(env, state, version),
      formatOf: (path) => (path.endsWith(".toml") ? toml : jsonc),
    },
    { backups: copiesIn(state), notes: notesAbout(variables, env) },
  );
}

/** Its name follows from its text, so that a run never changes the file of another. */
function keptIn(directory: string): SetupDeps["keptPath"] {
  return ({ path, text }) => join(directory, "started", sha256Hex(text).slice(0, 16), basename(path));
}

/** The results are read once. */
function protections(env: Environment, state: string, version: string): SetupDeps["protection"] {
  let proofs: ReturnType<typeof readProofs> | null = null;
  return (harness, program) => {
    proofs ??= readProofs(state);
    const proof = proofs[harness] ?? null;
    const path = findProgram(env, program);
    const now = { ttVersion: version, program: path && programMark(path) };
    return { proof, protection: protectionOf(proof, now) };
  };
}

/** The programs lie beside this one. */
export function programs(): Pick<Pins, "node" | "program" | "hookProgram"> {
  const directory = ownDirectory();
  return {
    node: process.execPath,
    program: join(directory, "tt.cjs"),
    hookProgram: join(directory, "hook.cjs"),
  };
}

/** Sandboxed agents may write in the data directory, so programs that run outside a sandbox must not be there. */
export function programInside({
  dataDir,
  hookScript,
  program,
  node,
}: Pick<Pins, "dataDir" | "hookScript" | "program" | "node">): Refusal | null {
  const root = realPlaceOf(join(dataDir, "x")).path.slice(0, -1);
  const inside = [hookScript, program, node].find((path) => realPlaceOf(path).path.startsWith(root));
  if (inside === undefined) return null;
  return invalidInput(
    "TT_DATA_DIR",
    `The data directory ${dataDir} would hold ${inside}, which harnesses run. Every agent that may write data there could change it.`,
    'Choose a directory for the data alone: TT_DATA_DIR, or "data_dir" in ~/.config/tt/config.json.',
  );
}

/** The bundle has a path where a module has an address. */
function ownDirectory(): string {
  const place = import.meta.url;
  return dirname(place.startsWith("file:") ? fileURLToPath(place) : place);
}

export function pinnedVariables(env: Environment, dataDir: string): Record<string, string> | Refusal {
  const store = env["TT_STORE"];
  if (store && hasPassword(store)) {
    return invalidInput(
      "TT_STORE",
      "TT_STORE contains a password, and passwords do not belong in the configuration of other programs.",
      'Write the address as "store" into ~/.config/tt/config.json and make that file readable only by you. Then unset TT_STORE and run it again.',
    );
  }
  const config = env["TT_CONFIG"];
  return {
    TT_DATA_DIR: dataDir,
    ...(store ? { TT_STORE: store } : {}),
    ...(config ? { TT_CONFIG: resolve(config) } : {}),
  };
}

/** What is set in this shell alone is pinned for tools and hooks, but not for the shells of a harness. */
function notesAbout(variables: Readonly<Record<string, string>>, env: Environment): readonly string[] {
  const set = Object.keys(variables).filter((name) => env[name]);
  const fleeting = ownDirectory().includes("/_npx/")
    ? ["This tt runs from the cache of npx, which npm may delete. Install tt permanently and run tt install again."]
    : [];
  const typed = isOnPath(env, "tt")
    ? []
    : [
        "tt is not on the PATH, so agents cannot run it in their shells. Add it, for example with npm link or npm install -g.",
      ];
  if (set.length === 0) return [...fleeting, ...typed];
  return [
    ...fleeting,
    ...typed,
    `Tools and hooks keep the present value of ${set.join(" and ")}. Set it for the shells of your agents too, or write it into ~/.config/tt/config.json. Otherwise they use different stores.`,
  ];
}
