import { expect, test } from "vitest";
import type { HandoffEvidence } from "../../../../src/core/handoff.ts";
import { handoffText } from "../../../../src/surfaces/cli/text/handoff.ts";

const EVIDENCE: HandoffEvidence = { head: "abc", branch: "main", dirty: true, diffStat: "" };

function treeLine(evidence: HandoffEvidence): string | undefined {
  return handoffText({ status: "s", nextAction: "n", evidence }, 100).split("\n")[2];
}

test.each<[untracked: number | null | undefined, ending: string]>([
  [undefined, ""],
  [null, ""],
  [0, ""],
  [1, ", 1 untracked file or directory"],
  [3, ", 3 untracked files or directories"],
])("of %s untracked files a handoff says %j", (untracked, ending) => {
  const evidence = untracked === undefined ? EVIDENCE : { ...EVIDENCE, untracked };
  expect(treeLine(evidence)).toBe(`  tree          abc on main, uncommitted changes${ending}`);
});
