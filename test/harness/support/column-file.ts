/** What came of the tests with one harness, kept until the end of the run. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Column } from "./support-table.ts";
import type { HarnessName } from "./wires/index.ts";

const directory = resolve(import.meta.dirname, "../../../.cache/harness-support");

/** Test files of their own fill these, in the order of the table. */
const PARTS = ["scenarios", "guard"] as const;
type Part = (typeof PARTS)[number];

const fileOf = (name: HarnessName, part: Part) => join(directory, `${name}-${part}.json`);

export function forgetColumns(): void {
  rmSync(directory, { recursive: true, force: true });
}

export function keepColumn(name: HarnessName, part: Part, column: Column): void {
  mkdirSync(directory, { recursive: true });
  writeFileSync(fileOf(name, part), JSON.stringify(column));
}

/** Undefined if no test of the harness has run. */
export function keptColumn(name: HarnessName): Column | undefined {
  const files = PARTS.map((part) => fileOf(name, part)).filter((file) => existsSync(file));
  if (files.length === 0) return undefined;
  return Object.assign({}, ...files.map((file) => JSON.parse(readFileSync(file, "utf8")) as Column)) as Column;
}
