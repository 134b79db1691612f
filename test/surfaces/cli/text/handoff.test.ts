import { expect, test } from "vitest";
import type { HandoffEvidence } from "../../../../src/core/handoff.ts";
import { handoffText } from "../../../../src/surfaces/cli/text/handoff.ts";

const EVIDENCE: HandoffEvidence = { head: "abc", branch: "main", dirty: true, diffStat: "" };

function linesOf(evidence: HandoffEvidence, nowMs?: number): readonly string[] {
  const page = { width: 160, ...(nowMs !== undefined && { nowMs }) };
  return handoffText({ status: "s", nextAction: "n", evidence }, page).split("\n").slice(2);
}

test.each<[untracked: number | null | undefined, ending: string]>([
  [undefined, ""],
  [null, ""],
  [0, ""],
  [1, ", 1 untracked file or directory"],
  [3, ", 3 untracked files or directories"],
])("of %s untracked files a handoff says %j", (untracked, ending) => {
  const evidence = untracked === undefined ? EVIDENCE : { ...EVIDENCE, untracked };
  expect(linesOf(evidence)).toEqual([`  tree          abc on main, uncommitted changes${ending}`]);
});

const UNTIL_MS = Date.UTC(2026, 0, 1);
const PENDING = { ...EVIDENCE, dirty: null, pendingUntil: new Date(UNTIL_MS).toISOString() };

test.each<[when: string, nowMs: number | undefined, told: readonly string[]]>([
  ["while git is asked", UNTIL_MS, ["  changed       not known yet: git is still comparing the files"]],
  ["if nothing came in time", UNTIL_MS + 1, ["  changed       not known: no comparison of the files came"]],
  ["in the log, which has what came as an event of its own", undefined, []],
])("a handoff whose evidence is pending says so %s", (_, nowMs, told) => {
  expect(linesOf(PENDING, nowMs)).toEqual(["  tree          abc on main", ...told]);
});
