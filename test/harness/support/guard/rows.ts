/** The rows of docs/harness-support.md that the tests of the guard fill. */
import type { SupportRow } from "../../scenarios/scenario.ts";
import { titleOf } from "../support-table.ts";
import type { HarnessName } from "../wires/index.ts";
import { GUARDED } from "./tools.ts";

export type GuardRow = keyof typeof GUARD_ROWS;

/** In the order of the table. */
export const GUARD_ROWS = {
  edit: { title: "Guard: edits without the stick are refused" },
  shell: { title: "Guard: shell writes without the stick are refused" },
  subagent: { title: "Guard: those of its subagents, too" },
  permissions: { title: "Guard: in each permission mode" },
} satisfies Readonly<Record<string, SupportRow>>;

/** Which permission modes were tried. */
export function permissionsText(): string {
  const lines = Object.entries(GUARDED).map(([name, { usual, others }]) => {
    const modes = [usual, ...others].map((mode) => mode.name);
    return `- ${titleOf(name as HarnessName)}: ${modes.join("; ")}`;
  });
  return `The permission modes that were tried with the guard:\n\n${lines.join("\n")}`;
}
