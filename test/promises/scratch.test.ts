import { it } from "vitest";
import { bundleFixture } from "../support/fixture.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { check } from "./linearizability/check.ts";
import { runExperiment } from "./linearizability/experiment.ts";
import { summary } from "./linearizability/finding.ts";

it("runs", async () => {
  const n = Number(process.env["N"] ?? 300);
  const bundle = await bundleFixture(
    "test/promises/fixtures/stick-user.ts",
    process.env["PAUSE"]
      ? [
          {
            name: "p",
            setup(b) {
              b.onLoad({ filter: /sqlite\/transaction\.ts$/ }, async (a) => ({
                loader: "ts",
                contents: (await import("node:fs"))
                  .readFileSync(a.path, "utf8")
                  .replace("MAX_PAUSE_MS = 2;", `MAX_PAUSE_MS = ${process.env["PAUSE"]};`),
              }));
            },
          },
        ]
      : [],
  );
  const t0 = performance.now();
  const history = await runExperiment(
    bundle,
    {
      seed: Number(process.env["TT_SEED"] ?? 1),
      processes: Number(process.env["P"] ?? 16),
      operations: n,
      kills: 1,
      silenceChance: 0.002,
    },
    temporaryDirectory(),
    process.env["PROF"] ? { NODE_OPTIONS: "--require /tmp/wrap.cjs" } : {},
  );
  const t1 = performance.now();
  const findings = check(history);
  const t2 = performance.now();
  console.log(
    `${history.operations.length} ops, ${history.log.length} events, run ${(t1 - t0) / 1000}s, check ${(t2 - t1) / 1000}s`,
  );
  const counts: Record<string, number> = {};
  for (const { request, answer } of history.operations) {
    const key = `${request.kind} ${answer?.is ?? "?"} ${answer?.is === "refused" || answer?.is === "fault" ? answer.code : ""}${answer?.is === "your_turn" ? answer.reason : ""}`;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  const types: Record<string, number> = {};
  for (const e of history.log) {
    const p = e.payload as { ground?: string; cause?: string; reason?: string };
    const key = `${e.eventType} ${p.ground ?? p.cause ?? p.reason ?? ""}`;
    types[key] = (types[key] ?? 0) + 1;
  }
  console.log(counts, types);
  console.log(summary(findings, 15));
  bundle.remove();
}, 600_000);
