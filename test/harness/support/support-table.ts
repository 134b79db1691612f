/** The table of docs/harness-support.md: what each harness can do with us, in which version. */
import harnesses from "../harnesses.json" with { type: "json" };
import type { SupportRow } from "../scenarios/scenario.ts";
import { type HarnessName, WIRES } from "./wires/index.ts";

export const NAMES = Object.keys(WIRES) as readonly HarnessName[];

/** What came of each row, by its title. */
export type Column = Readonly<Record<string, string>>;

const pinned = harnesses["linux-x64"];

export function titleOf(name: HarnessName): string {
  return pinned[name].title;
}

/** As it is when every test passes. */
export function expectedColumn(rows: readonly SupportRow[], name: HarnessName): Column {
  const cells = rows.map(({ title, impossible }) => [title, impossible?.[name] === undefined ? "yes" : "no"]);
  return Object.fromEntries(cells) as Column;
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

export function tableText(titles: readonly string[], columns: Readonly<Partial<Record<HarnessName, Column>>>): string {
  return [
    row(["", ...NAMES.map((name) => `${titleOf(name)} ${pinned[name].version}`)]),
    row(["---", ...NAMES.map(() => "---")]),
    ...titles.map((title) => row([title, ...NAMES.map((name) => columns[name]?.[title] ?? "not run")])),
  ].join("\n");
}

/** Why there is a no. */
export function reasonsText(rows: readonly SupportRow[]): string {
  const reasons = rows.flatMap(({ title, impossible = {} }) =>
    Object.entries(impossible).map(([name, why]) => `- ${titleOf(name as HarnessName)}, ${title}: ${why}`),
  );
  return reasons.join("\n");
}
