import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { it } from "vitest";
import { startFixture } from "../support/fixture.ts";
import { bundleSqliteFixture } from "../support/sqlite-fixture.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { plant } from "./linearizability/plant.ts";

const file = "store/sqlite/transaction.ts";
const by = (formula: string) => [
  { file, find: "await pause(patience);", replace: "waitedMs += await pause(patience, tries++, waitedMs);" },
  { file, find: "    for (;;) {", replace: "    let tries = 0;\n    let waitedMs = 0;\n    for (;;) {" },
  { file, find: "function pause({ jitter }: Patience): Promise<void> {", replace: "function pause({ jitter }: Patience, tries: number, age: number): Promise<number> {" },
  { file, find: "const ms = MIN_PAUSE_MS + jitter() * (MAX_PAUSE_MS - MIN_PAUSE_MS);", replace: `const ms = ${formula};` },
  { file, find: "    setTimeout(resolve, ms);", replace: "    setTimeout(() => resolve(ms), ms);" },
];
const all = {
  base: [],
  acc: by("(0.1 + 0.9 * jitter()) * (tries < 3 ? 2 ** tries : Math.max(3, 60 * (1 - age / 1500)))"),
  acc40: by("(0.1 + 0.9 * jitter()) * (tries < 5 ? 1.5 ** tries : Math.max(2, 40 * (1 - age / 1000)))"),
};
const variants = Object.fromEntries(Object.entries(all).filter(([k]) => !process.env["V"] || process.env["V"].split(",").includes(k)));
const writers = Number(process.env["W"] ?? 32);
const operations = Number(process.env["N"] ?? 94);
const bundles = new Map<string, Awaited<ReturnType<typeof bundleSqliteFixture>>>();
it("x", async () => {
  for (const [name, edits] of Object.entries(variants)) bundles.set(name, await bundleSqliteFixture("hot-writer", [plant({ name, edits })]));
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
      const rs = await Promise.all(ws.map(async (w) => (await w.lines.next()).value as { answered: number; slowestMs: number; failures: string[] }));
      const s = (performance.now() - t0) / 1000;
      await Promise.all(ws.map((w) => w.p.ended));
      const n = rs.reduce((a, r) => a + r.answered, 0);
      console.log(`${name}: ${n} in ${s.toFixed(1)} s = ${(n / s).toFixed(0)}/s, slowest ${Math.max(...rs.map((r) => r.slowestMs)).toFixed(0)} ms, failures ${rs.flatMap((r) => r.failures).length}`);
    }
}, 900_000);
