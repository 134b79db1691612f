/**
 * Goal: also on a machine whose cores are busy elsewhere, no process fails to open the store, to join or to write.
 * Method: as in no-raw-busy.test.ts, while two other programs for each core burn it. It runs alone: beside others it
 * would slow them down, and they would change what it tests.
 */
import { availableParallelism } from "node:os";
import { onTestFinished } from "vitest";
import { startFixture } from "../support/fixture.ts";
import { bundleSqliteFixture } from "../support/sqlite-fixture.ts";
import { expectAnswers } from "./hot-writers.ts";
import { figure, verifies } from "./verifies.ts";

const WRITERS = 32;
/** Each of them opens the store and joins three times, beside the others that write. */
const OPENED = figure(320, 20_000);
/** Many times what it takes. */
const LIMIT_MS = figure(300_000, 18_000_000);

async function openAndJoinOnBusyCores(): Promise<void> {
  const [bundle, burner] = [await bundleSqliteFixture("hot-writer"), await bundleSqliteFixture("burner")];
  const burners = Array.from({ length: 2 * availableParallelism() }, () => startFixture(burner, []));
  onTestFinished(async () => {
    for (const { child } of burners) child.kill("SIGKILL");
    await Promise.all(burners.map(({ ended }) => ended));
    burner.remove();
  });
  await expectAnswers(bundle, WRITERS, OPENED, {}, { reopensEvery: Math.ceil(OPENED / WRITERS / 2) });
  bundle.remove();
}

const title = "opens and joins beside hot writers succeed while every core is busy elsewhere";
verifies("E2", title, openAndJoinOnBusyCores, LIMIT_MS);
