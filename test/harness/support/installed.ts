/** Which real harnesses are at hand; `npm run test:harness` installs them, and says so if it cannot. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import harnesses from "../harnesses.json" with { type: "json" };
import { type HarnessName, WIRES } from "./wires/index.ts";

export const cache = resolve(import.meta.dirname, "../../../.cache/harness");

const here = (harnesses as Partial<typeof harnesses>)[`${process.platform}-${process.arch}` as "linux-x64"];

export function fileOf(harness: HarnessName): string | null {
  const path = here && join(cache, harness, "node_modules", here[harness].program);
  return path !== undefined && existsSync(path) ? path : null;
}

/** The words that start it. */
export function programOf(harness: HarnessName): readonly string[] {
  const path = fileOf(harness) ?? "";
  return path.endsWith(".js") ? [process.execPath, path] : [path];
}

export function isInstalled(...wanted: readonly HarnessName[]): boolean {
  return wanted.every((harness) => fileOf(harness) !== null);
}

/** Says loudly what cannot be tested. */
export function tellMissing(): void {
  const missing = (Object.keys(WIRES) as HarnessName[]).filter((harness) => !isInstalled(harness));
  for (const harness of missing) {
    process.stderr.write(`\nSKIPPED: tests with ${here?.[harness].title ?? harness}: it is not installed\n\n`);
  }
}
