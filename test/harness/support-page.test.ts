/** docs/harness-support.md says what the scenarios test, for the versions that are pinned. */
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, it } from "vitest";
import { SCENARIOS } from "./scenarios/index.ts";
import { GUARD_ROWS, permissionsText } from "./support/guard/rows.ts";
import { expectedColumn, NAMES, reasonsText, tableText } from "./support/support-table.ts";

const page = resolve(import.meta.dirname, "../../docs/harness-support.md");
const BETWEEN = /<!-- table -->\n[\s\S]*?<!-- end -->/;

it("the page about what harnesses can do is that of the scenarios and pinned versions; TT_WRITE=1 renews it", () => {
  const rows = [...SCENARIOS, ...Object.values(GUARD_ROWS)];
  const columns = Object.fromEntries(NAMES.map((name) => [name, expectedColumn(rows, name)]));
  const titles = rows.map(({ title }) => title);
  const table = [tableText(titles, columns), reasonsText(rows), permissionsText()].join("\n\n").trimEnd();
  const wanted = `<!-- table -->\n${table}\n<!-- end -->`;
  if (process.env["TT_WRITE"]) {
    const dated = readFileSync(page, "utf8").replace(/checked on [\d-]+/, `checked on ${today()}`);
    writeFileSync(page, dated.replace(BETWEEN, wanted));
  }
  expect(BETWEEN.exec(readFileSync(page, "utf8"))?.[0]).toBe(wanted);
});

function today(): string {
  return new Date().toISOString().slice(0, 10);
}
