/** A home with Claude Code in it, which is not set up yet. */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HARNESSES } from "../../src/harness/harnesses.ts";
import { hookProgramFile } from "../../src/harness/hook-script.ts";
import { jsonc } from "../../src/install/formats/jsonc.ts";
import type { HarnessSetup } from "../../src/install/rules/harness-setup.ts";
import type { SetupDeps } from "../../src/install/setup-deps.ts";
import { openConfigFiles } from "../../src/platform/files/config-files.ts";
import { isThere } from "../../src/platform/files/list-names.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const SETUPS = HARNESSES.map(({ name, title, setup }) => ({ name, title, ...setup }));

export function setupOf(harness: string): HarnessSetup {
  return SETUPS.find(({ name }) => name === harness) as HarnessSetup;
}

export function setupWorld() {
  const home = temporaryDirectory();
  mkdirSync(join(home, ".claude"));
  writeFileSync(join(home, ".claude.json"), "{}");
  const files = openConfigFiles(join(home, "state"));
  const deps: SetupDeps = {
    files,
    setups: SETUPS,
    pins: {
      version: "1.0.0",
      node: "/usr/bin/node",
      program: "/x/tt.cjs",
      hookProgram: "/x/hook.cjs",
      hookScript: join(home, "scripts/tt-hook"),
      dataDir: join(home, "data"),
      variables: { TT_DATA_DIR: join(home, "data") },
      sharedStore: false,
      skill: "# Skill\n",
    },
    hookProgram: hookProgramFile,
    protection: () => ({ proof: null, protection: { level: "not_proven", why: null } }),
    keptPath: ({ path }) => path,
    keep: () => null,
    places: { env: {}, home, project: home, exists: isThere, real: (path) => path },
    isOnPath: () => false,
    formatOf: () => jsonc,
  };
  const everything = () =>
    readdirSync(home, { recursive: true, encoding: "utf8" })
      .filter((name) => !name.startsWith("state/backups") && name !== "state")
      .toSorted()
      .map((name) => [name, statSync(join(home, name)).isFile() ? readFileSync(join(home, name), "utf8") : ""]);
  return { deps, home, everything };
}
