/** Real files in a home of their own; only the moment of a failure is made up. */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Fault } from "../../src/core/fault.ts";
import { refuse } from "../../src/core/refusal.ts";
import type { ConfigFiles } from "../../src/engine/ports/config-files.ts";
import { HARNESSES } from "../../src/harness/harnesses.ts";
import { hookProgramFile } from "../../src/harness/hook-script.ts";
import { jsonc } from "../../src/install/formats/jsonc.ts";
import { setUp } from "../../src/install/installer.ts";
import type { HarnessSetup } from "../../src/install/rules/harness-setup.ts";
import type { SetupDeps } from "../../src/install/setup-deps.ts";
import { openConfigFiles } from "../../src/platform/files/config-files.ts";
import { isThere } from "../../src/platform/files/list-names.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const SETUPS = HARNESSES.map(({ name, title, setup }) => ({ name, title, ...setup }));
const claude = SETUPS.find(({ name }) => name === "claude") as HarnessSetup;

function world() {
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

/** Files that cannot be written from the given write on. */
function failing(files: ConfigFiles, from: number, fail: () => ReturnType<ConfigFiles["write"]>): ConfigFiles {
  let writes = 0;
  return {
    ...files,
    write: (write) => {
      writes += 1;
      return writes === from ? fail() : files.write(write);
    },
  };
}

it.each([1, 2, 3, 4])("a refusal at write %s leaves everything as it was", (from) => {
  const { deps, everything } = world();
  const before = everything();
  const files = failing(deps.files, from, () => refuse("invalid_path", "It is gone.", "Run it again."));
  expect(setUp({ ...deps, files }, claude, "in")).toMatchObject({ status: "refused", reason: "It is gone." });
  expect(everything()).toEqual(before);
  expect(setUp(deps, claude, "in")).toMatchObject({ status: "done" });
});

function fault(): never {
  throw new Fault("store_full", "The disk is full.", { next: "Make room.", retry: false });
}

it("so does a fault of the system, in both directions", () => {
  const { deps, everything } = world();
  const before = everything();
  expect(() => setUp({ ...deps, files: failing(deps.files, 3, fault) }, claude, "in")).toThrow(Fault);
  expect(everything()).toEqual(before);
  setUp(deps, claude, "in");
  const installed = everything();
  expect(() => setUp({ ...deps, files: failing(deps.files, 3, fault) }, claude, "out")).toThrow(Fault);
  expect(everything()).toEqual(installed);
});

/** From the given write on nothing happens any more, as if the process had been killed. */
function killedAt(files: ConfigFiles, from: number): ConfigFiles {
  let writes = 0;
  const alive = (act: () => void) => (writes < from ? act() : undefined);
  return {
    ...files,
    write: (write) => {
      writes += 1;
      return writes < from ? files.write(write) : refuse("invalid_path", "Killed.", "");
    },
    writeLedger: (ledger) => alive(() => files.writeLedger(ledger)),
    removeDirectories: (directories) => alive(() => files.removeDirectories(directories)),
  };
}

it.each([1, 2, 3, 4])("what a kill before write %s left behind can be taken out, and be gone on from", (from) => {
  const { deps, everything } = world();
  const before = everything();
  setUp({ ...deps, files: killedAt(deps.files, from) }, claude, "in");
  expect(everything()).not.toEqual(before);
  setUp(deps, claude, "out");
  expect(everything()).toEqual(before);
  setUp({ ...deps, files: killedAt(deps.files, from) }, claude, "in");
  expect(setUp(deps, claude, "in")).toMatchObject({ status: "done" });
  setUp({ ...deps, files: killedAt(deps.files, from) }, claude, "out");
  setUp(deps, claude, "out");
  expect(everything()).toEqual(before);
});
