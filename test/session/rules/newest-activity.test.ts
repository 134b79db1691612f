/** What tells of a session, in the order in which real programs told it. Claude Code 2.1.325 told the stories below. */
import { describe, expect, test } from "vitest";
import { wallTime } from "../../../src/core/time.ts";
import { type NewestActivity, newestActivity } from "../../../src/session/rules/newest-activity.ts";
import type { Activity, ActivityState, SeenActivity } from "../../../src/session/rules/session.ts";

const DAY_MS = 1_767_225_600_000;
const at = (ms: number) => wallTime(DAY_MS + ms);
const since = (state: ActivityState, ms: number | null): Activity => ({ state, since: ms === null ? null : at(ms) });
const busy = (ms: number | null) => since("busy", ms);
const idle = (ms: number | null) => since("idle", ms);

interface Story {
  readonly told: Activity;
  readonly record: SeenActivity | null;
  /** When a hook of a tool ran last. */
  readonly tool?: number;
  readonly now: number;
}

function newest({ told, record, tool, now }: Story): NewestActivity {
  const toolMs = () => (tool === undefined ? null : DAY_MS + tool);
  return newestActivity(told, record && { record, toolMs, nowMs: () => DAY_MS + now });
}

/** Where the answer comes from. */
function winner(story: Story): string {
  const { isCertain: _, ...activity } = newest(story);
  const isRecord = JSON.stringify(activity) === JSON.stringify(story.record);
  return isRecord ? "record" : JSON.stringify(activity) === JSON.stringify(story.told) ? "hooks" : "nobody";
}

describe("given a record that lags behind hooks, hooks count", () => {
  test.each<[string, Story]>([
    ["after the stop hook", { told: idle(2200), record: busy(1933), tool: 2100, now: 2210 }],
    ["while another stop hook works for long", { told: idle(2200), record: busy(1933), now: 300_000 }],
    ["after the prompt hook", { told: busy(9331), record: idle(5797), tool: 5700, now: 9340 }],
    ["after a prompt hook on a busy machine", { told: busy(9331), record: idle(5797), now: 11_331 }],
    ["while its clock is a little behind the store's", { told: busy(9331), record: idle(5797), now: 8331 }],
    // Signs of tools are dated in steps.
    [
      "after a tool in the same moment as the stop hook",
      { told: idle(2200), record: busy(1933), tool: 2220, now: 2230 },
    ],
  ])("%s", (_, story) => {
    expect(winner(story)).toBe("hooks");
    expect(newest(story).isCertain).toBe(true);
  });
});

describe("the record counts", () => {
  test.each<[string, Story]>([
    ["once it has caught up with the stop hook", { told: idle(2200), record: idle(2231), now: 2240 }],
    ["after the user typed the next prompt", { told: idle(2200), record: busy(2300), now: 2301 }],
    ["after Esc, of which no hook tells", { told: busy(1900), record: idle(2500), now: 2501 }],
    ["of the same moment as a hook", { told: busy(1900), record: idle(1900), now: 1901 }],
    ["after another stop hook let the turn go on", { told: idle(2200), record: busy(1933), tool: 2221, now: 2601 }],
    ["after a tool of a subagent in the background", { told: idle(2200), record: busy(1933), tool: 2900, now: 2901 }],
    ["after a prompt that began no turn", { told: busy(9331), record: idle(5797), now: 11_332 }],
    ["without a time", { told: idle(2200), record: busy(null), now: 2201 }],
    ["over hooks that told no time", { told: idle(null), record: busy(1933), now: 2201 }],
    ["over a time to come, as after the clock was set back", { told: idle(3202), record: busy(1933), now: 2201 }],
    ["over hooks that tell no more", { told: since("unknown", 2200), record: busy(1933), now: 2201 }],
    ["over hooks that never told", { told: since("unknown", null), record: idle(1933), now: 2201 }],
    // Nobody else knows that its user is asked.
    ["where both say the same", { told: busy(2200), record: { ...busy(1933), asksUser: true }, now: 2201 }],
  ])("%s", (_, story) => {
    expect(winner(story)).toBe("record");
    expect(newest(story).isCertain).toBe(true);
  });
});

test("without a record, hooks count however old, but an interruption may be missed", () => {
  expect(newest({ told: busy(1), record: null, now: 9_000_000 })).toEqual({ ...busy(1), isCertain: false });
});

const unread = () => expect.unreachable("this decides nothing here");
const nowMs = () => DAY_MS + 2300;

describe("a look reads", () => {
  test.each([busy(1933), busy(2300), busy(null)])("neither clock nor tools if the record agrees (%o)", (record) => {
    expect(newestActivity(busy(2200), { record, nowMs: unread, toolMs: unread })).toMatchObject(record);
  });

  test("neither of them if the record is newer", () => {
    const look = { record: idle(2300), nowMs: unread, toolMs: unread };
    expect(newestActivity(busy(2200), look)).toMatchObject(idle(2300));
  });

  test("no tools after a prompt", () => {
    expect(newestActivity(busy(2200), { record: idle(1933), nowMs, toolMs: unread })).toMatchObject(busy(2200));
  });
});
