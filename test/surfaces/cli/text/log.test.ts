/** The log as people read it. Times are those of a fixed zone, so the tests name their instants in it. */
import { describe, expect, it } from "vitest";
import { clockOf, wallMsOf } from "../../../../src/core/time.ts";
import type { EventView } from "../../../../src/room/rules/event-view.ts";
import { LogText } from "../../../../src/surfaces/cli/text/events.ts";
import { widthOf } from "../../../../src/surfaces/words/width.ts";
import { pageOf } from "../../../support/page.ts";

const HANDLES = { "claude:1": "claude", "codex:1": "codex-2", "human:ann": "human" };
/** Noon, so that an hour of difference is no other day in any zone. */
const NOON = new Date(2026, 10, 18, 12, 0, 0).toISOString();
const YESTERDAY = new Date(2026, 10, 17, 12, 0, 0).toISOString();

function event(more: object): EventView {
  return {
    eventSeq: 7,
    eventType: "claim",
    turnId: 3,
    fromAgentId: "claude:1",
    toAgentId: null,
    handoff: null,
    reason: null,
    createdAt: NOON,
    payload: { reason: "open_claim" },
    ...more,
  } as unknown as EventView;
}

const lines = (events: readonly object[], width = 80, ids = false) => {
  const text = new LogText(pageOf(width, { handles: HANDLES, ids }), wallMsOf(NOON));
  return events
    .map((one) => text.of(event(one)))
    .join("\n")
    .split("\n");
};

describe("a line of the log", () => {
  it("begins with the time of the clock and names agents by their handles", () => {
    expect(lines([{}])).toEqual(["12:00:00  claim               claude", "          turn 3, it was free"]);
  });

  it("has the numbers and the ids if they are asked for", () => {
    expect(lines([{}], 80, true)[0]).toBe("12:00:00  7 claim               claude:1");
  });

  it("shows where the stick went in a takeover, and the recipient of a message", () => {
    const takeover = {
      eventType: "takeover",
      fromAgentId: "human:ann",
      toAgentId: "claude:1",
      reason: "stuck",
      payload: { revokedAgentId: "claude:1", ground: "operator_requested" },
    };
    expect(lines([takeover])).toEqual([
      "12:00:00  takeover            human ← claude",
      "          turn 3, from claude, as a person asked, because: stuck",
    ]);
    const message = { eventType: "message_sent", toAgentId: "codex:1", payload: { body: "hello", origin: "peer" } };
    expect(lines([message])[0]).toBe("12:00:00  message_sent        claude → codex-2");
  });

  it("says that a departure left no handoff", () => {
    const left = { eventType: "member_left", payload: { reason: "left", wasOwner: true, reservedFor: null } };
    expect(lines([left])[1]).toContain("held the stick, without a handoff");
  });
});

it("a line shows where the day changes, and the first day if it is not today", () => {
  const { day } = clockOf(wallMsOf(YESTERDAY));
  expect(day).toBe("Tue 17 Nov 2026");
  const heads = lines([{ createdAt: YESTERDAY }, { createdAt: YESTERDAY }, {}]).filter((line) => !line.startsWith(" "));
  expect(heads).toEqual([
    "── Tue 17 Nov 2026",
    "12:00:00  claim               claude",
    "12:00:00  claim               claude",
    "── Wed 18 Nov 2026",
    "12:00:00  claim               claude",
  ]);
});

it.each([20, 21, 33, 40, 59, 60, 80, 200])("at %i columns no line is wider, whatever others wrote", (width) => {
  const hostile = `${"語".repeat(50)} \u001b[31m\u202e${"x".repeat(300)} e\u0301 ❤\ufe0f`;
  const all = lines(
    [
      { fromAgentId: `${"n".repeat(40)}:1`, toAgentId: "codex:1" },
      { eventType: "message_sent", payload: { body: hostile, kind: "ask", origin: "human" } },
      { eventType: "reservation_expired", fromAgentId: null, payload: { cause: "timeout", reservedFor: null } },
      { createdAt: YESTERDAY, reason: hostile, handoff: { status: hostile, nextAction: "y" } },
    ],
    width,
  );
  expect(all.filter((line) => widthOf(line) > width)).toEqual([]);
  expect(all.join("")).not.toMatch(/[^\P{C}]/u);
});
