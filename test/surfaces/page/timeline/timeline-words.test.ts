/** What is on the timeline in words, and where it leads. */
import { describe, expect, test } from "vitest";
import type { AgentId } from "../../../../src/core/ids.ts";
import { timelineOf } from "../../../../src/surfaces/page/views/timeline/timeline-items.ts";
import { itemTimes, itemWords, placeOfItem } from "../../../../src/surfaces/page/views/timeline/timeline-words.ts";
import {
  agent,
  checked,
  claimed,
  NOON_MS,
  released,
  said,
  type ToldEvent,
  takenOver,
  told,
  writtenBy,
} from "../told-log.ts";

const READER = { me: agent("human:me"), nameOf: (agentId: AgentId) => agentId.split(":")[0] ?? agentId };
const NOW_MS = NOON_MS + 60 * 60_000;

function words(events: readonly ToldEvent[]): readonly string[] {
  return timelineOf(told(events)).items.map((item) => itemWords(item, READER, NOW_MS));
}

describe("words", () => {
  test("of a turn: whose it is, how long it took and how it ended", () => {
    expect(words([claimed(0, 1), released(5, 1)])).toEqual(["turn 1 of codex, 5m, released"]);
    expect(words([claimed(0, 1)])).toEqual(["turn 1 of codex, 1h, goes on"]);
    expect(words([claimed(0, 1), takenOver(4, 2, "human:me", "codex:1")])).toEqual([
      "turn 1 of codex, 4m, taken over by you",
      "turn 2 of you, 56m, goes on",
      "you took the stick over from codex",
    ]);
  });

  test("of a turn whose agent or beginning the log does not have", () => {
    const end: ToldEvent = { ...takenOver(5, 9, "claude:1", "codex:1"), turnId: 9 };
    expect(words([end])[0]).toBe("turn 8 of an agent that the log does not name, taken over by claude");
  });

  test("of a message: its sender, its recipient and its first line", () => {
    expect(words([said(0, "first\nsecond"), said(1, "hi", "claude:1", agent("human:me"))])).toEqual([
      "codex → the room: first",
      "claude → you: hi",
    ]);
  });

  test("are one line of limited length, and hide nothing", () => {
    const [long = ""] = words([said(0, "x".repeat(10_000))]);
    expect(long.length).toBe(240);
    expect(words([said(0, "a\u202eb")])).toEqual(["codex → the room: a\\u{202e}b"]);
    expect(words([{ ...writtenBy(0, null, null), payload: { paths: ["a\nb"], more: 0 } }])).toEqual([
      "an unknown writer changed a\\nb without the stick",
    ]);
  });

  test("of a clock that went back: by how much", () => {
    expect(words([said(5, "a"), said(2, "b")])).toContain("the clock went back by 3m");
  });
});

test("the times of a turn name the second day only if it is another one", () => {
  const [short, long] = timelineOf(told([claimed(0, 1), released(5, 1), claimed(6, 2), released(3000, 2)])).items;
  if (short === undefined || long === undefined) throw new Error("there are two turns");
  expect(itemTimes(short)).toMatch(/^\w+ \d+ Nov 2026, \d\d:00:00 to \d\d:05:00$/);
  expect(itemTimes(long)).toMatch(/^\w+ \d+ Nov 2026, \d\d:06:00 to \w+ \d+ Nov 2026, \d\d:00:00$/);
});

test("each item opens where there is more of it", () => {
  const events: ToldEvent[] = [
    claimed(0, 3),
    said(1, "hello"),
    takenOver(2, 4, "claude:1", "codex:1"),
    checked(3, 1, 4),
    writtenBy(4, "codex:1", 4),
    writtenBy(5, "codex:1", null),
    { type: "kick", minute: 6, toAgentId: agent("gemini:1"), payload: { targetWasOwner: false } },
    { type: "paused", minute: 7 },
  ];
  const places = timelineOf(told(events)).items.map((item) => [item.kind, ...Object.values(placeOfItem(item))]);
  expect(places).toEqual([
    ["turn", "turns", "3"],
    ["message", "talk", "e2"],
    ["turn", "turns", "4"],
    ["takeover", "turns", "4"],
    ["check", "turns", "4"],
    ["foreign", "turns", "4"],
    ["foreign", "log", "seq:6"],
    ["kick", "log", "seq:7"],
    ["paused", "log", "seq:8"],
  ]);
});
