import { it } from "vitest";
import { bundleSqliteFixture } from "../support/sqlite-fixture.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { check } from "./linearizability/check.ts";
import { runExperiment } from "./linearizability/experiment.ts";
import { summary } from "./linearizability/finding.ts";
import { plant } from "./linearizability/plant.ts";
import { PLANTED_BUGS } from "./linearizability/planted-bugs.ts";

const only = process.env["ONLY"];
for (const bug of [{ name: "clean", edits: [] }, ...PLANTED_BUGS].filter((b) => !only || b.name.includes(only)))
  it(bug.name, async () => {
    const bundle = await bundleSqliteFixture("stick-user", [plant(bug)]);
    for (let round = 0; round < Number(process.env["ROUNDS"] ?? 1); round++) {
      const t0 = performance.now();
      const history = await runExperiment(
        bundle,
        { seed: Math.floor(Math.random() * 1e9), processes: 6, operations: 200, kills: 0, silenceChance: 0 },
        temporaryDirectory(),
      );
      const findings = check(history);
      console.log(
        `${bug.name}: ${history.operations.length} ops, ${history.log.length} events, ${((performance.now() - t0) / 1000).toFixed(1)}s\n${summary(findings, Number(process.env["SHOW"] ?? 2)).slice(0, 1500)}`,
      );
    }
    bundle.remove();
  }, 600_000);
