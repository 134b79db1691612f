import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { it } from "vitest";
import { startFixture } from "../support/fixture.ts";
import { bundleSqliteFixture } from "../support/sqlite-fixture.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { plant } from "./linearizability/plant.ts";

const file = "store/sqlite/transaction.ts";
const base = "const ms = MIN_PAUSE_MS + jitter() * (MAX_PAUSE_MS - MIN_PAUSE_MS);";
const loop = "await pause(patience);";
const sig = "function pause({ jitter }: Patience): Promise<void> {";
const grow = (first: number, factor: number, max: number) => [
  { file, find: loop, replace: "await pause(patience, tries++);" },
  { file, find: "    for (;;) {", replace: "    let tries = 0;\n    for (;;) {" },
  { file, find: sig, replace: "function pause({ jitter }: Patience, tries: number): Promise<void> {" },
  { file, find: base, replace: `const ms = (0.3 + 0.7 * jitter()) * Math.min(${max}, ${first} * ${factor} ** tries);` },
];
const variants = {
  base: [],
  "fix 2-20": [{ file, find: base, replace: "const ms = 2 + jitter() * 18;" }],
  "fix 5-50": [{ file, find: base, replace: "const ms = 5 + jitter() * 45;" }],
  "exp 1x1.5<40": grow(1, 1.5, 40),
  "exp 1x2<25": grow(1, 2, 25),
  "exp 2x2<60": grow(2, 2, 60),
};
const writers = Number(process.env["W"] ?? 32);
const operations = Number(process.env["N"] ?? 30);
const bundles = new Map<string, Awaited<ReturnType<typeof bundleSqliteFixture>>>();
it("x", async () => {
  for (const [name, edits] of Object.entries(variants))
    bundles.set(name, await bundleSqliteFixture("hot-writer", [plant({ name, edits })]));
  for (let round = 0; round < Number(process.env["R"] ?? 2); round++)
    for (const [name, bundle] of bundles) {
      const directory = temporaryDirectory();
      const path = join(directory, "tree");
      mkdirSync(path);
      const env = { TT_DATA_DIR: join(directory, "data"), HOME: directory };
      const ws = Array.from({ length: writers }, (_, i) => {
        const p = startFixture(bundle, [JSON.stringify({ agent: `w${i}`, path, seed: i, operations })], { env });
        return { p, lines: p.lines() };
      });
      await Promise.all(ws.map((w) => w.lines.next()));
      const t0 = performance.now();
      for (const w of ws) w.p.send("go");
      const rs = await Promise.all(
        ws.map(
          async (w) => (await w.lines.next()).value as { answered: number; slowestMs: number; failures: string[] },
        ),
      );
      const s = (performance.now() - t0) / 1000;
      await Promise.all(ws.map((w) => w.p.ended));
      const n = rs.reduce((a, r) => a + r.answered, 0);
      console.log(
        `${name}: ${n} in ${s.toFixed(1)} s = ${(n / s).toFixed(0)}/s, slowest ${Math.max(...rs.map((r) => r.slowestMs)).toFixed(0)} ms, failures ${rs.flatMap((r) => r.failures).length}`,
      );
    }
}, 900_000);
