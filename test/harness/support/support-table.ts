/** The table of docs/harness-support.md: what each harness can do with us, in which version. */
import harnesses from "../harnesses.json" with { type: "json" };
import type { Scenario } from "../scenarios/scenario.ts";
import { type HarnessName, WIRES } from "./wires/index.ts";

export const NAMES = Object.keys(WIRES) as readonly HarnessName[];

/** What came of each scenario, by its title. */
export type Column = Readonly<Record<string, string>>;

const pinned = harnesses["linux-x64"];

/** As it is when every test passes. */
export function expectedColumn(scenarios: readonly Scenario[], name: HarnessName): Column {
  const cells = scenarios.map(({ title, impossible }) => [title, impossible?.[name] === undefined ? "yes" : "no"]);
  return Object.fromEntries(cells) as Column;
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

export function tableText(titles: readonly string[], columns: Readonly<Partial<Record<HarnessName, Column>>>): string {
  return [
    row(["", ...NAMES.map((name) => `${pinned[name].title} ${pinned[name].version}`)]),
    row(["---", ...NAMES.map(() => "---")]),
    ...titles.map((title) => row([title, ...NAMES.map((name) => columns[name]?.[title] ?? "not run")])),
  ].join("\n");
}

/** Why there is a no. */
export function reasonsText(scenarios: readonly Scenario[]): string {
  const reasons = scenarios.flatMap(({ title, impossible = {} }) =>
    Object.entries(impossible).map(([name, why]) => `- ${pinned[name as HarnessName].title}, ${title}: ${why}`),
  );
  return reasons.join("\n");
}
