/**
 * Goal: a snapshot changes nothing in the user's repository, and gives back every byte.
 * Method: random trees of files, links, modes, odd names and attributes. The whole repository, with its times, is compared
 * before and after a snapshot. Then files change at random, and restoring must bring back the tree of before.
 */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { TurnRecord } from "../../src/engine/ports/working-tree.ts";
import { createTurnRecord } from "../../src/platform/git/record/turn-record.ts";
import { isSnapshot } from "../../src/stick/rules/snapshot.ts";
import { captureTree } from "../support/captured-tree.ts";
import { inParallel } from "../support/in-parallel.ts";
import { SeededRandom } from "../support/random.ts";
import { quickDirectory } from "../support/temporary-directory.ts";
import { RandomTree } from "./random-tree.ts";
import { figure, freshSeed, verifies } from "./verifies.ts";

const TREES = figure(500, 50_000);
const AT_ONCE = 3;
const PATIENCE_MS = 60_000;

const whole = (top: string) => captureTree(top, { times: true, directories: true });
const files = (top: string) => captureTree(top, { without: [".git"] });

async function snapshotOf(record: TurnRecord, top: string) {
  const outcome = await record.snapshot(top, { budgetMs: PATIENCE_MS });
  if (!isSnapshot(outcome)) throw new Error(`skipped: ${outcome.skipped}`);
  return outcome;
}

async function tryTree(root: string, seed: number): Promise<void> {
  const random = new SeededRandom(seed);
  const tree = new RandomTree(join(root, "app"), random);
  const { top } = tree;
  for (const name of ["data", "scratch"]) mkdirSync(join(root, name), { mode: 0o700 });
  const env = { PATH: process.env["PATH"], HOME: join(root, "home") };
  const record = createTurnRecord({ dataDir: join(root, "data"), home: null, scratch: [join(root, "scratch")], env });
  const restoring = { roomId: "room", path: top };
  const everything = { paths: [""], force: true, mayWrite: async () => true };

  const before = whole(top);
  const first = await snapshotOf(record, top);
  expect(whole(top), `seed ${seed}: a first snapshot`).toEqual(before);

  const firstFiles = files(top);
  tree.change(random.between(0, 10));
  const changed = whole(top);
  const second = await snapshotOf(record, top);
  expect(whole(top), `seed ${seed}: a second snapshot`).toEqual(changed);

  const secondFiles = files(top);
  const git = captureTree(join(top, ".git"), { times: true, directories: true });
  const back = await record.restore(restoring, first, everything);
  expect([seed, back]).toMatchObject([seed, { failed: [] }]);
  expect(files(top), `seed ${seed}: restoring the first`).toEqual(firstFiles);
  await record.restore(restoring, second, everything);
  expect(files(top), `seed ${seed}: restoring the second`).toEqual(secondFiles);
  expect(captureTree(join(top, ".git"), { times: true, directories: true }), `seed ${seed}: .git`).toEqual(git);
}

verifies("G5", "random trees, compared byte for byte", async () => {
  const root = quickDirectory();
  const seed = freshSeed();
  const trees = Array.from({ length: TREES }, (_, at) => at);
  await inParallel(AT_ONCE, trees, async (at) => {
    const place = join(root, String(at));
    await tryTree(place, seed + at);
    rmSync(place, { recursive: true });
  });
});
