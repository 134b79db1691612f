/** Starts many processes that write as fast as they are answered, and judges what each of them was told. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { REFUSAL_CODES } from "../../src/core/refusal.ts";
import { type Bundle, startFixture } from "../support/fixture.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import type { HotWriterPlan, HotWriterReport } from "./fixtures/hot-writer.ts";
import { freshSeed } from "./verifies.ts";

/** What SQLite or PostgreSQL would say if their words came through. */
const RAW = /sqlite|database (table )?is locked|postgres|deadlock detected|could not serialize|23505/i;

export async function expectAnswers(
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
  // When time is up, no writer goes on beside the next test.
  onTestFinished(() => {
    for (const { process } of writers) process.child.kill("SIGKILL");
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
