import type { Finding } from "./finding.ts";

const HEADINGS: Finding | Record<keyof Finding, string> = {
  what: "what",
  floor: "floor",
  measured: "measured",
  ratio: "ratio",
  target: "target",
  verdict: "",
};

const COLUMNS = Object.keys(HEADINGS) as (keyof Finding)[];

/** A table of Markdown whose columns are in line, so that it reads well in a terminal too. */
export function tableOf(findings: readonly Finding[]): string {
  const lines = [HEADINGS, ...findings];
  const widths = COLUMNS.map((column) => Math.max(3, ...lines.map((line) => line[column].length)));
  const shown = lines.map((line) => row(COLUMNS.map((column, index) => line[column].padEnd(widths[index] ?? 0))));
  shown.splice(1, 0, row(widths.map((width) => "-".repeat(width))));
  return shown.join("\n");
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}
