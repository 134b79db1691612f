/** Runs the rows one after the other and prints their table. A figure that misses its target is shown, and fails nothing. */
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { documentOf, load } from "./document.ts";
import { type Finding, skipped } from "./finding.ts";
import type { Row } from "./row.ts";
import { rows } from "./rows.ts";
import { tableOf } from "./table.ts";
import { Workshop } from "./workshop.ts";
import { YardstickFailed } from "./yardstick.ts";

const HELP = `Usage: npm run bench -- [--quick] [--only <row>]... [--write]

  --quick       a short run that shows whether everything works; its figures mean little
  --only <row>  one row: ${rows.map(({ name }) => name).join(", ")}
  --write       write docs/benchmarks.md
`;

const DOCUMENT = resolve(import.meta.dirname, "../docs/benchmarks.md");

const OPTIONS = {
  quick: { type: "boolean", default: false },
  only: { type: "string", multiple: true },
  write: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

export async function main(args: readonly string[]): Promise<number> {
  const values = valuesIn(args);
  if (values === null) return 2;
  const unknown = values.only?.filter((name) => !rows.some((row) => row.name === name)) ?? [];
  if (values.help || unknown.length > 0) {
    if (unknown.length > 0) console.error(`There is no row ${unknown.join(", ")}.\n`);
    console.log(HELP);
    return values.help ? 0 : 2;
  }
  const chosen = rows.filter(({ name }) => values.only?.includes(name) ?? true);
  const loadBefore = load();
  const table = tableOf(await measureAll(chosen, values.quick));
  console.log(`\n${table}`);
  const command = ["npm run bench", ...(args.length > 0 ? ["--", ...args] : [])].join(" ");
  if (values.write) writeFileSync(DOCUMENT, documentOf({ command, table, loadBefore }));
  return 0;
}

/** Null if it says what is wrong with them. */
function valuesIn(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS }).values;
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${HELP}`);
    return null;
  }
}

async function measureAll(chosen: readonly Row[], quick: boolean): Promise<readonly Finding[]> {
  const shop = new Workshop({ quick });
  const findings: Finding[] = [];
  try {
    for (const row of chosen) {
      const startMs = performance.now();
      findings.push(...(await measured(row, shop)));
      await shop.clear();
      console.error(`${row.name}: ${((performance.now() - startMs) / 1000).toFixed(1)} s`);
    }
  } finally {
    await shop.close();
  }
  return findings;
}

/** A row whose yardstick fails is left out, with a loud line. Only an error of our own program ends the run. */
async function measured(row: Row, shop: Workshop): Promise<readonly Finding[]> {
  try {
    return await row.measure(shop);
  } catch (error) {
    if (!(error instanceof YardstickFailed)) throw error;
    console.error(`SKIPPED: ${row.name}: ${error.message}`);
    return [skipped(row.name, "the program to compare with failed")];
  }
}
