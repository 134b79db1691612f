/** What the timeline shows follows from the log, also from a log whose clock jumped or that begins late. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Timeline,
  type TimelineItem,
  timelineOf,
} from "../../../../src/surfaces/page/views/timeline/timeline-items.ts";
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

const MINUTE_MS = 60_000;

const minuteOf = (ms: number) => (ms - NOON_MS) / MINUTE_MS;

/** `turn 1 of codex:1 0-5`, in minutes after noon; `…` while it goes on. */
function bars({ items }: Timeline): readonly string[] {
  return items.flatMap((item) =>
    item.kind === "turn"
      ? [
          `turn ${item.line.turnId} of ${item.agentId} ${minuteOf(item.atMs)}-${item.toMs === null ? "…" : minuteOf(item.toMs)}`,
        ]
      : [],
  );
}

function marks({ items }: Timeline): readonly string[] {
  return items.flatMap(({ kind, agentId }) => (kind === "turn" ? [] : [`${kind} at ${agentId}`]));
}

describe("turns", () => {
  test("a turn is a bar from its claim to its end, and a turn that goes on has no end", () => {
    const timeline = timelineOf(told([claimed(0, 1), released(5, 1), claimed(7, 2, "claude:1")]));
    expect(bars(timeline)).toEqual(["turn 1 of codex:1 0-5", "turn 2 of claude:1 7-…"]);
  });

  test("a takeover ends the turn before it, in the lane of the agent that lost it", () => {
    const timeline = timelineOf(told([claimed(0, 1), takenOver(4, 2, "claude:1", "codex:1")]));
    expect(bars(timeline)).toEqual(["turn 1 of codex:1 0-4", "turn 2 of claude:1 4-…"]);
    expect(marks(timeline)).toEqual(["takeover at claude:1"]);
  });

  test("a turn that began before the log is drawn from the beginning of the log", () => {
    const timeline = timelineOf(told([said(3, "hello"), released(6, 8)], 400));
    expect(bars(timeline)).toEqual(["turn 8 of codex:1 3-6"]);
  });

  test("a turn whose end is not in the log ends where the next one begins", () => {
    const timeline = timelineOf(told([claimed(0, 1), claimed(9, 2)]));
    expect(bars(timeline)).toEqual(["turn 1 of codex:1 0-9", "turn 2 of codex:1 9-…"]);
  });

  test("a turn that ended before its beginning, by a clock that went back, is not longer than nothing", () => {
    const timeline = timelineOf(told([claimed(10, 1), released(2, 1)]));
    expect(bars(timeline)).toEqual(["turn 1 of codex:1 10-10"]);
  });
});

describe("marks", () => {
  test("each kind of event has its mark, in the lane of the agent that it concerns", () => {
    const events: ToldEvent[] = [
      claimed(0, 1),
      said(1, "hello", "claude:1"),
      writtenBy(2, "gemini:1", 1),
      writtenBy(3, null, null),
      checked(4, 0),
      checked(5, 1),
      { type: "given", minute: 6, by: "human:me", toAgentId: agent("claude:1"), payload: { revokedAgentId: null } },
      { type: "kick", minute: 7, by: "human:me", toAgentId: agent("gemini:1"), payload: { targetWasOwner: false } },
      { type: "paused", minute: 8, by: "human:me" },
      { type: "resumed", minute: 9, by: "human:me", payload: { reservedFor: null } },
    ];
    expect(marks(timelineOf(told(events)))).toEqual([
      "message at claude:1",
      "foreign at gemini:1",
      "foreign at null",
      "check at codex:1",
      "given at claude:1",
      "kick at gemini:1",
      "paused at human:me",
      "resumed at human:me",
    ]);
  });

  test("an event of a newer program changes nothing", () => {
    const known = [claimed(0, 1), released(5, 1)];
    const names = ["of_a_newer_program", "constructor", "__proto__"] as const;
    for (const type of names) {
      const unknown = { type, minute: 2, by: "claude:1", turnId: 7 } as ToldEvent;
      const timeline = timelineOf(told([known[0] as ToldEvent, unknown, known[1] as ToldEvent]));
      expect([bars(timeline), marks(timeline)]).toEqual([["turn 1 of codex:1 0-5"], []]);
    }
  });

  test("a clock that went back by more than a second is a mark that says by how much", () => {
    const jumped = timelineOf(told([said(5, "a"), said(3, "b")])).items.filter(({ kind }) => kind === "clock");
    expect(jumped.map((item) => item.kind === "clock" && item.backMs)).toEqual([2 * MINUTE_MS]);
    expect(marks(timelineOf(told([said(5, "a"), said(5 - 0.9 / 60, "b")])))).not.toContain("clock at null");
  });

  test("a time that cannot be read counts as that of an event beside it", () => {
    const unreadable = { createdAt: "yesterday" };
    const events = told([{ ...claimed(0, 1), ...unreadable }, said(2, "a"), { ...released(3, 1), ...unreadable }]);
    const timeline = timelineOf(events);
    expect(bars(timeline)).toEqual(["turn 1 of codex:1 2-2"]);
    expect(timeline.extent).toEqual({ firstMs: NOON_MS + 2 * MINUTE_MS, lastMs: NOON_MS + 2 * MINUTE_MS });
  });
});

const paused = (minute: number): ToldEvent => ({ type: "paused", minute });
const resumed = (minute: number): ToldEvent => ({ type: "resumed", minute, payload: { reservedFor: null } });

/** From minute to minute; null while it goes on. */
function pauseMinutes(events: readonly ToldEvent[]): readonly (readonly (number | null)[])[] {
  return timelineOf(told(events)).pauses.map(({ fromMs, toMs }) => [minuteOf(fromMs), toMs && minuteOf(toMs)]);
}

describe("pauses", () => {
  test("a pause goes from its beginning to its end, and the last one goes on", () => {
    expect(pauseMinutes([said(1, "a"), paused(2), said(3, "b"), resumed(4), paused(6)])).toEqual([
      [2, 4],
      [6, null],
    ]);
  });

  test("a log that begins in a pause knows it from its beginning on", () => {
    expect(pauseMinutes([said(1, "a"), resumed(4)])).toEqual([[1, 4]]);
  });
});

describe("lanes", () => {
  test("the agent that acted last comes first, and what no agent did comes last", () => {
    const events = [said(0, "a", "codex:1"), said(1, "b", "claude:1"), writtenBy(2, null, null)];
    expect(timelineOf(told(events)).lanes.map(({ agentId }) => agentId)).toEqual(["claude:1", "codex:1", null]);
  });

  test("ten thousand agents have a lane each", () => {
    const events = Array.from({ length: 10_000 }, (_, index) => said(index / 100, "hello", `agent:${index}`));
    const { lanes, laneOf } = timelineOf(told(events));
    expect([lanes.length, laneOf.get(agent("agent:9999")), laneOf.get(agent("agent:0"))]).toEqual([10_000, 0, 9999]);
  });
});

describe("any log", () => {
  const minute = fc.integer({ min: -2000, max: 2000 });
  const who = fc.constantFrom("codex:1", "claude:1", "gemini:1");
  const anyEvent: fc.Arbitrary<ToldEvent> = fc.oneof(
    fc.tuple(minute, fc.nat(5), who).map(([at, turn, by]) => claimed(at, turn, by)),
    fc.tuple(minute, fc.nat(5), who).map(([at, turn, by]) => released(at, turn, by)),
    fc.tuple(minute, fc.nat(5), who, who).map(([at, turn, by, from]) => takenOver(at, turn, by, from)),
    fc.tuple(minute, who).map(([at, by]) => said(at, "hello", by)),
    minute.map((at) => writtenBy(at, null, null)),
  );

  test("everything has a time and a key of its own, stands in one lane and in the order of time", () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 40 }), (events) => {
        const { items, lanes, laneOf, extent } = timelineOf(told(events));
        const times = items.map(({ atMs }) => atMs);
        expect(times).toEqual(times.toSorted((one, other) => one - other));
        expect(new Set(items.map(({ key }) => key)).size).toBe(items.length);
        const inLanes = lanes.flatMap((lane): readonly TimelineItem[] => [...lane.bars, ...lane.marks]);
        expect(inLanes.length).toBe(items.length);
        for (const { agentId, bars: own, latestEnds, marks: ownMarks } of lanes) {
          expect(lanes[laneOf.get(agentId) ?? -1]?.agentId).toBe(agentId);
          for (const item of [...own, ...ownMarks]) expect(item.agentId).toBe(agentId);
          for (const [index, end] of latestEnds.entries()) {
            const ends = own.slice(0, index + 1).map(({ toMs }) => toMs ?? Number.POSITIVE_INFINITY);
            expect(end).toBe(Math.max(...ends));
          }
        }
        for (const item of items) {
          expect(item.atMs).toBeGreaterThanOrEqual(extent?.firstMs ?? Number.NaN);
          expect(item.atMs).toBeLessThanOrEqual(extent?.lastMs ?? Number.NaN);
          if (item.kind === "turn" && item.toMs !== null) expect(item.toMs).toBeGreaterThanOrEqual(item.atMs);
        }
      }),
    );
  });
});
