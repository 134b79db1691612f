/**
 * Goal: however many processes write at once, a caller gets an answer and never meets the store's own error.
 * Method: many processes change one room as fast as they can; each tells what it was told. Every operation must
 * be answered with a result or a refusal from the list. A fault would be the store saying that it was busy for
 * longer than its whole budget, and a raw error the driver's words; neither may occur. Nor may a process fail to open
 * the store or to join, also when other programs keep every core busy.
 */
import { mkdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { expect, inject, onTestFinished } from "vitest";
import { REFUSAL_CODES } from "../../src/core/refusal.ts";
import { type Bundle, bundleFixture, startFixture } from "../support/fixture.ts";
import { bundleSqliteFixture } from "../support/sqlite-fixture.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import type { HotWriterPlan, HotWriterReport } from "./fixtures/hot-writer.ts";
import { figure, freshSeed, verifies } from "./verifies.ts";

const WRITERS = 32;
const OPERATIONS = figure(3000, 200_000);

/** What SQLite or PostgreSQL would say if their words came through. */
const RAW = /sqlite|database (table )?is locked|postgres|deadlock detected|could not serialize|23505/i;

verifies("E2", `${WRITERS} hot writers and ${OPERATIONS} operations get answers and no store error`, async () => {
  const bundle = await bundleSqliteFixture("hot-writer");
  await expectAnswers(bundle, WRITERS, OPERATIONS, {});
  bundle.remove();
});

/** Each of them opens the store and joins three times, beside the others that write. */
const OPENED = figure(320, 20_000);

verifies("E2", "opens and joins beside hot writers succeed while every core is busy elsewhere", async () => {
  const [bundle, burner] = [await bundleSqliteFixture("hot-writer"), await bundleSqliteFixture("burner")];
  const burners = Array.from({ length: 2 * availableParallelism() }, () => startFixture(burner, []));
  onTestFinished(async () => {
    for (const { child } of burners) child.kill("SIGKILL");
    await Promise.all(burners.map(({ ended }) => ended));
    burner.remove();
  });
  await expectAnswers(bundle, WRITERS, OPENED, {}, { reopensEvery: Math.ceil(OPENED / WRITERS / 2) });
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

async function expectAnswers(
  bundle: Bundle,
  writers: number,
  total: number,
  store: Readonly<Record<string, string>>,
  visits: Pick<HotWriterPlan, "reopensEvery"> = {},
): Promise<void> {
  const directory = temporaryDirectory();
  const path = join(directory, "tree");
  mkdirSync(path);
  const env = { ...store, TT_DATA_DIR: join(directory, "data"), HOME: directory };
  const seed = freshSeed();
  const operations = Math.ceil(total / writers);
  const plans = Array.from({ length: writers }, (_, index) => ({
    agent: `writer${index}`,
    path,
    seed: seed + index,
    operations,
    ...visits,
  }));
  const started = performance.now();
  const reports = await runWriters(bundle, plans, env);
  const seconds = (performance.now() - started) / 1000;
  console.info(`E2 seed ${seed}: ${figures(reports, seconds)}`);
  for (const { answered, failures, refusals, texts } of reports) {
    expect(failures, `seed ${seed}`).toEqual([]);
    expect(answered, `seed ${seed}`).toBe(operations);
    expect(REFUSAL_CODES).toEqual(expect.arrayContaining(Object.keys(refusals)));
    expect(texts.filter((text) => RAW.test(text))).toEqual([]);
  }
}

/** All of them start writing at the same moment. */
async function runWriters(
  bundle: Bundle,
  plans: readonly HotWriterPlan[],
  env: Readonly<Record<string, string>>,
): Promise<readonly HotWriterReport[]> {
  const writers = plans.map((plan) => {
    const process = startFixture(bundle, [JSON.stringify(plan)], { env });
    return { process, lines: process.lines() };
  });
  await Promise.all(writers.map(({ lines }) => lines.next()));
  for (const { process } of writers) process.send("go");
  return Promise.all(
    writers.map(async ({ process, lines }) => {
      const report = await lines.next();
      const { code, stderr } = await process.ended;
      expect(code, stderr).toBe(0);
      return report.value as HotWriterReport;
    }),
  );
}

function figures(reports: readonly HotWriterReport[], seconds: number): string {
  const answered = reports.reduce((sum, report) => sum + report.answered, 0);
  const slowest = Math.max(...reports.map((report) => report.slowestMs));
  const refusals = new Set(reports.flatMap((report) => Object.keys(report.refusals)));
  return `${answered} operations answered in ${seconds.toFixed(1)} s, ${Math.round(answered / seconds)}/s, slowest ${Math.round(slowest)} ms, refusals: ${[...refusals].join(", ")}`;
}
