/** The list of turns is made of the log, which the page has at once, and of the record, which comes later. */
import { describe, expect, test } from "vitest";
import { foreignWritesIn, turnRows, turnsVersion } from "../../../../src/surfaces/page/views/turns/turn-rows.ts";
import type { PageAnswers } from "../../../../src/surfaces/wire/page-answers.ts";
import {
  agent,
  checked,
  claimed,
  evidenceAttached,
  NOON_MS,
  released,
  said,
  takenOver,
  told,
  writtenBy,
} from "../told-log.ts";

type Listed = PageAnswers["list_turns"]["turns"][number];

const at = (minute: number) => new Date(NOON_MS + minute * 60_000).toISOString();

function listed(turnId: number, changes: Partial<Listed> = {}): Listed {
  return {
    turnId,
    agentId: agent("codex:1"),
    startedAt: at(0),
    endedAt: at(5),
    ended: "release",
    endedBy: agent("codex:1"),
    checks: [],
    files: 2,
    added: 3,
    removed: 1,
    record: "kept",
    reason: null,
    ...changes,
  };
}

const TWO_TURNS = told([claimed(0, 1), released(5, 1), claimed(6, 2)]);

test("the newest turn comes first, before and after the record is known", () => {
  expect(turnRows(TWO_TURNS, null, 2).map(({ turnId }) => turnId)).toEqual([2, 1]);
  expect(turnRows(TWO_TURNS, [listed(1)], 2).map(({ turnId, changes }) => [turnId, changes])).toEqual([
    [2, null],
    [1, "2 files, +3 −1"],
  ]);
});

test("a handoff gets the evidence that came after the next turn had begun, and the list is asked again", () => {
  const evidence = { head: "abc", branch: "main", dirty: false, diffStat: "" };
  const events = told([claimed(0, 1), released(5, 1), claimed(6, 2), evidenceAttached(6, 1, 2, evidence)]);
  const [present, last] = turnRows(events, null, 2);
  expect([present?.handoff, last?.handoff?.evidence]).toEqual([null, evidence]);
  expect(turnsVersion(events)).toBe(4);
  // The log may begin after the release.
  expect(turnRows(events.slice(2), null, 2)).toMatchObject([{ turnId: 2, handoff: null }]);
});

test("turns that the loaded log does not reach come from the list", () => {
  const events = told([said(9, "a"), claimed(10, 7)], 300);
  const [, older] = turnRows(events, [listed(6), listed(7)], 7);
  expect(older).toMatchObject({ turnId: 6, agentId: "codex:1", changes: "2 files, +3 −1", handoff: null });
});

test("of a turn that the log has only the end of, the beginning and the checks come from the list", () => {
  const events = told([checked(4, 0, 6), released(5, 6)], 300);
  const check = { command: "npm test", exitCode: 1, durationMs: 5, outputDigest: "d", tree: null };
  const [row] = turnRows(events, [listed(6, { checks: [check] })], 6);
  expect([row?.startedAt, row?.checks]).toEqual([listed(6).startedAt, [check]]);
});

test("a turn that begins after the moment that is shown is left out", () => {
  expect(turnRows(TWO_TURNS, [listed(1), listed(2), listed(3)], 1).map(({ turnId }) => turnId)).toEqual([1]);
});

describe("at a moment at which a turn still went on", () => {
  test("its later end is not told, and nothing can be restored from it", () => {
    const [row] = turnRows(told([claimed(0, 1)]), [listed(1)], 1);
    expect(row).toMatchObject({ endedAt: null, ended: null, changes: null, isKept: false });
  });
});

describe("what can be restored", () => {
  test.each([
    ["kept", true],
    ["late", true],
    ["end_only", true],
    ["pending", false],
    ["skipped", false],
    ["none", false],
  ] as const)("a turn whose record is %s: %s", (record, isKept) => {
    expect(turnRows(TWO_TURNS, [listed(1, { record })], 2)[1]?.isKept).toBe(isKept);
  });

  test("a turn that goes on: nothing", () => {
    expect(turnRows(TWO_TURNS, [listed(2, { endedAt: null, ended: null })], 2)[0]?.isKept).toBe(false);
  });
});

test("the reason of a turn's end is that of the event that ended it", () => {
  const events = told([claimed(0, 1), { ...takenOver(5, 2, "human:me", "codex:1"), reason: "wrong way" }]);
  expect(turnRows(events, null, 2).map(({ reason }) => reason)).toEqual([null, "wrong way"]);
});

test("the list is asked for again when a turn begins, ends or is checked, and not for a message", () => {
  const versions = [claimed(0, 1), said(1, "a"), checked(2, 0), said(3, "b"), released(4, 1)].map((_, index, all) =>
    turnsVersion(told(all.slice(0, index + 1))),
  );
  expect(versions).toEqual([1, 1, 3, 3, 5]);
});

test("foreign writes are those of the turn, not those of another and not those between turns", () => {
  const events = told([
    writtenBy(1, "a:1", 1),
    writtenBy(2, "a:1", 2),
    writtenBy(3, null, null),
    writtenBy(4, null, 1),
  ]);
  expect(foreignWritesIn(events, 1).map(({ seq }) => seq)).toEqual([1, 4]);
});
