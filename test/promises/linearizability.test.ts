/**
 * Goal: no history of real processes that share a stick is one that a single stick, used by one after the other,
 * could not have produced. Method: processes do random operations and write down what they asked and were told,
 * some are killed on the way; the checker in linearizability/ then looks for an order that explains all of it.
 * The checker is only worth something if it notices faults, so it is run on programs with planted bugs as well.
 */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, inject, it } from "vitest";
import { type Bundle, bundleFixture } from "../support/fixture.ts";
import { bundleSqliteFixture } from "../support/sqlite-fixture.ts";
import { quickDirectory } from "../support/temporary-directory.ts";
import { check } from "./linearizability/check.ts";
import { type Experiment, runExperiment } from "./linearizability/experiment.ts";
import { type Finding, summary } from "./linearizability/finding.ts";
import { type History, keepHistory, recallHistory } from "./linearizability/history.ts";
import { editedFiles, plant } from "./linearizability/plant.ts";
import { PLANTED_BUGS } from "./linearizability/planted-bugs.ts";
import { figure, freshSeed, verifies } from "./verifies.ts";

/**
 * 16 × 5000 operations take two minutes on two cores. The campaign does its 32 × 200 000 in rounds, each in a room of its
 * own, so that a history fits into memory and a fault is told early.
 */
const ROUNDS = figure(1, 40);
const PROCESSES = ROUNDS === 1 ? 16 : 32;
const OPERATIONS = 5000;

/** Enough contention for every planted bug to show, usually dozens of times. */
const SMALL = { processes: 6, operations: 150, kills: 0, silenceChance: 0 };
const ATTEMPTS = 5;

verifies(
  "S1",
  `${PROCESSES} processes and ${PROCESSES * OPERATIONS * ROUNDS} operations, some cut short by SIGKILL, fit one order`,
  async () => {
    const bundle = await bundleSqliteFixture("stick-user");
    for (let round = 0; round < ROUNDS; round += 1) {
      const experiment = { processes: PROCESSES, operations: OPERATIONS, kills: 1, silenceChance: 0.01 };
      await expectOneOrder(bundle, experiment, round);
    }
    bundle.remove();
  },
);

const url = inject("postgresUrl");
if (url === null) process.stderr.write("SKIPPED: S1 on PostgreSQL: there is no server\n");

verifies("S1", "operations on PostgreSQL fit one order", async () => {
  if (url === null) return;
  const bundle = await bundleFixture("test/promises/fixtures/stick-user.ts");
  const experiment = { processes: 6, operations: figure(150, 5000), kills: 1, silenceChance: 0.01 };
  await expectOneOrder(bundle, experiment, 0, { TT_STORE: url });
  bundle.remove();
});

verifies("S1", "a small experiment without a planted bug shows nothing", async () => {
  const bundle = await bundleSqliteFixture("stick-user");
  await expectOneOrder(bundle, SMALL, 0);
  bundle.remove();
});

it.each(PLANTED_BUGS)("a bug can still be planted: $name", (bug) => {
  expect(editedFiles(bug).size).toBeGreaterThan(0);
});

const kept = process.env["TT_HISTORY"];

it.skipIf(kept === undefined)("the history named by TT_HISTORY fits one order", () => {
  expect(summary(check(recallHistory(kept ?? "")))).toBe("");
});

for (const bug of PLANTED_BUGS.slice(0, figure(5, PLANTED_BUGS.length))) {
  verifies("S1", `the checker notices that ${bug.name}`, async () => {
    const bundle = await bundleSqliteFixture("stick-user", [plant(bug)]);
    const seed = freshSeed();
    const findings = await firstFindings(bundle, seed);
    bundle.remove();
    console.info(`S1 seed ${seed}: ${bug.name}: ${summary(findings, 1)}`);
    const bySelf = findings.filter(({ rule }) => rule === "crash");
    expect(findings.length - bySelf.length, "noticed by the checker and not only by a crash").toBeGreaterThan(0);
  });
}

/** A bug that needs bad luck to show gets several chances. */
async function firstFindings(bundle: Bundle, seed: number): Promise<readonly Finding[]> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const findings = check(await runExperiment(bundle, { ...SMALL, seed: seed + attempt }, quickDirectory()));
    if (findings.some(({ rule }) => rule !== "crash")) return findings;
  }
  return [];
}

async function expectOneOrder(
  bundle: Bundle,
  plan: Omit<Experiment, "seed">,
  round: number,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const seed = freshSeed() + round;
  const started = performance.now();
  const history = await runExperiment(bundle, { ...plan, seed }, quickDirectory(), env);
  const seconds = (performance.now() - started) / 1000;
  const findings = check(history);
  console.info(`S1 seed ${seed}: ${figures(history, seconds)}`);
  if (findings.length > 0) {
    const file = join(tmpdir(), `tt-history-${seed}.json`);
    keepHistory(history, file);
    expect.fail(`seed ${seed}; TT_HISTORY=${file} checks this history again\n${summary(findings)}`);
  }
  expectVariety(history, plan);
}

/** A run in which nothing happened proves nothing. */
function expectVariety({ operations, log }: History, { processes, kills }: Omit<Experiment, "seed">): void {
  const types = new Set<string>(log.map(({ eventType }) => eventType));
  for (const type of ["claim", "release", "member_left", "note_added"]) expect(types).toContain(type);
  expect(operations.filter(({ answer }) => answer?.is === "refused").length).toBeGreaterThan(processes);
  if (kills > 0) expect(operations.filter(({ answer }) => answer === null).length).toBeGreaterThan(0);
}

function figures({ operations, log, final }: History, seconds: number): string {
  const unanswered = operations.filter(({ answer }) => answer === null).length;
  const rate = Math.round(operations.length / seconds);
  return `${operations.length} operations, ${unanswered} unanswered, ${log.length} events, ${final.turnId} turns, ${seconds.toFixed(1)} s, ${rate}/s`;
}
