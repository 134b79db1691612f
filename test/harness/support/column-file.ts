/** What came of the scenarios of one harness, kept until the end of the run. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Column } from "./support-table.ts";
import type { HarnessName } from "./wires/index.ts";

const directory = resolve(import.meta.dirname, "../../../.cache/harness-support");

const fileOf = (name: HarnessName) => join(directory, `${name}.json`);

export function forgetColumns(): void {
  rmSync(directory, { recursive: true, force: true });
}

export function keepColumn(name: HarnessName, column: Column): void {
  mkdirSync(directory, { recursive: true });
  writeFileSync(fileOf(name), JSON.stringify(column));
}

export function keptColumn(name: HarnessName): Column | undefined {
  return existsSync(fileOf(name)) ? (JSON.parse(readFileSync(fileOf(name), "utf8")) as Column) : undefined;
}
