/** Promise G1 with one real harness: every tool that writes, in each mode, for each holder. It fills rows of the table. */
import { afterAll, describe, expect } from "vitest";
import { verifies } from "../../promises/verifies.ts";
import { keepColumn } from "./column-file.ts";
import { attemptsIn, toolAttempt } from "./guard/attempts.ts";
import { type Cell, GuardedSession } from "./guard/guarded-session.ts";
import { PHASES, SHORT_PHASES } from "./guard/phases.ts";
import { GUARD_ROWS, type GuardRow } from "./guard/rows.ts";
import { GUARDED } from "./guard/tools.ts";
import { harnessWorlds } from "./harness-worlds.ts";
import { isInstalled } from "./installed.ts";
import type { HarnessName } from "./wires/index.ts";

/** Once while nobody held the stick, and once in `advise`. */
const TIMES_ADVISED = 2;

export function describeGuard(name: HarnessName): void {
  const harness = GUARDED[name];
  describe.skipIf(!isInstalled(name))(name, () => {
    const newWorld = harnessWorlds();
    const column = new GuardColumn();
    afterAll(() => keepColumn(name, "guard", column.shown));

    verifies("G1", `${name}: every tool in each mode, for each holder, and subagents`, async () => {
      const passed = column.begin("edit", "shell", "subagent");
      const session = new GuardedSession(newWorld(), harness);
      const places = session.places(PHASES);
      const attempts = PHASES.map((phase) => ({
        phase,
        own: attemptsIn(harness, phase, places(phase)),
        delegated: (phase.delegates ? harness.tools : []).map((tool) =>
          toolAttempt(tool, places(phase).delegated, phase.writes, "subagent"),
        ),
      }));
      const cells = await session.run(attempts, harness.usual);
      passed(cells);
      expectAll(cells);
      expect(session.timesAdvised()).toBe(TIMES_ADVISED);
    });

    for (const mode of harness.others) {
      verifies("G1", `${name}: in ${mode.name}`, async () => {
        const passed = column.begin("permissions");
        const session = new GuardedSession(newWorld(), harness);
        const phases = mode.readsOnly ? SHORT_PHASES.filter(({ writes }) => writes === "refused") : SHORT_PHASES;
        const places = session.places(phases);
        const attempts = phases.map((phase) => ({
          phase,
          own: (mode.tools ?? harness.tools).map((tool) =>
            toolAttempt(tool, places(phase).inside, phase.writes, "permissions"),
          ),
          delegated: [],
        }));
        const cells = await session.run(attempts, mode);
        passed(cells);
        expectAll(cells);
      });
    }
  });
}

function expectAll(cells: readonly Cell[]): void {
  const table = (pick: (cell: Cell) => string) => Object.fromEntries(cells.map((cell) => [cell.name, pick(cell)]));
  expect(table(({ actual }) => actual)).toEqual(table(({ expected }) => expected));
}

/** A row is a yes if every test that fills it has run and all its cells are as they must be. */
class GuardColumn {
  readonly #results: { readonly row: GuardRow; isYes: boolean }[] = [];

  /** A test begins. What it returns is called with what became of its attempts. */
  begin(...rows: readonly GuardRow[]): (cells: readonly Cell[]) => void {
    const results = rows.map((row) => ({ row, isYes: false }));
    this.#results.push(...results);
    return (cells) => {
      for (const result of results) {
        const own = cells.filter(({ row }) => row === result.row);
        result.isYes = own.length > 0 && own.every(({ actual, expected }) => actual === expected);
      }
    };
  }

  get shown(): Readonly<Record<string, string>> {
    const rows = Object.keys(GUARD_ROWS) as readonly GuardRow[];
    return Object.fromEntries(rows.map((row) => [GUARD_ROWS[row].title, this.#cell(row)]));
  }

  #cell(wanted: GuardRow): string {
    const results = this.#results.filter(({ row }) => row === wanted);
    if (results.length === 0) return "not run";
    return results.every(({ isYes }) => isYes) ? "yes" : "FAILED";
  }
}
