/** Real files in a home of their own; only the moment of a failure is made up. */
import { expect, it } from "vitest";
import { Fault } from "../../src/core/fault.ts";
import { refuse } from "../../src/core/refusal.ts";
import type { ConfigFiles } from "../../src/engine/ports/config-files.ts";
import { setUp } from "../../src/install/installer.ts";
import { setupOf, setupWorld } from "./setup-world.ts";

const claude = setupOf("claude");

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
  const { deps, everything } = setupWorld();
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
  const { deps, everything } = setupWorld();
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
  const { deps, everything } = setupWorld();
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
