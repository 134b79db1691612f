/**
 * Goal: however many processes write at once, a caller gets an answer and never meets the store's own error.
 * Method: many processes change one room as fast as they can; each tells what it was told. Every operation must
 * be answered with a result or a refusal from the list. A fault would be the store saying that it was busy for
 * longer than its whole budget, and a raw error the driver's words; neither may occur. Nor may a process fail to open
 * the store or to join. The same while every core is busy elsewhere: no-raw-busy-on-busy-cores.test.ts.
 */
import { inject } from "vitest";
import { bundleFixture } from "../support/fixture.ts";
import { bundleSqliteFixture } from "../support/sqlite-fixture.ts";
import { expectAnswers } from "./hot-writers.ts";
import { figure, verifies } from "./verifies.ts";

const WRITERS = 32;
const OPERATIONS = figure(3000, 200_000);

verifies("E2", `${WRITERS} hot writers and ${OPERATIONS} operations get answers and no store error`, async () => {
  const bundle = await bundleSqliteFixture("hot-writer");
  await expectAnswers(bundle, WRITERS, OPERATIONS, {});
  bundle.remove();
});

const url = inject("postgresUrl");
if (url === null) process.stderr.write("SKIPPED: E2 on PostgreSQL: there is no server\n");

verifies("E2", "hot writers on PostgreSQL get answers and no store error", async () => {
  if (url === null) return;
  const bundle = await bundleFixture("test/promises/fixtures/hot-writer.ts");
  await expectAnswers(bundle, 8, figure(600, 50_000), { TT_STORE: url });
  bundle.remove();
});
