/** The words of notifications, and how many are shown. */
import { describe, expect, it } from "vitest";
import { asRoomId } from "../../../src/core/ids.ts";
import { isOldSlot, type Notice, noticeWords, SLOTS_A_MINUTE, slotsAt } from "../../../src/peers/rules/notices.ts";

const QUESTION: Notice = {
  kind: "question",
  roomId: asRoomId("r"),
  path: "/w/proj",
  agent: "claude",
  text: "which one?",
  onceFor: null,
};

describe("the words of a notification", () => {
  it.each([
    [{}, "tt: claude waits for your answer (proj)", "which one?"],
    [{ kind: "holder_gone", text: null }, "tt: claude is gone and has the stick (proj)", /tt why/],
    [{ kind: "holder_silent", text: null }, "tt: claude is silent and has the stick (proj)", /tt why/],
    [{ kind: "foreign_write", text: "a.ts" }, "tt: claude wrote without the stick (proj)", "a.ts"],
    [{ kind: "foreign_write", agent: null }, "tt: files changed without the stick (proj)", "which one?"],
    [{ path: "/" }, "tt: claude waits for your answer (/)", "which one?"],
  ] as const)("%o", (differs, title, body) => {
    const words = noticeWords({ ...QUESTION, ...differs }, 0);
    expect(words.title).toBe(title);
    expect(words.body).toMatch(body);
  });

  it("count what was left out before", () => {
    expect(noticeWords(QUESTION, 95).body).toBe("which one? (95 more before this one left out)");
  });

  it("are one visible line of bounded length, whatever agents write", () => {
    const hostile = `a\nb\u001b]0;x\u0007\u202e${"😀".repeat(5000)}`;
    const { title, body } = noticeWords({ ...QUESTION, agent: hostile, path: `/w/${hostile}`, text: hostile }, 3);
    for (const text of [title, body]) {
      expect(text).not.toMatch(/[\p{Cc}\u202e]/u);
      expect(text.length).toBeLessThan(300);
    }
  });
});

describe("how many notifications are shown", () => {
  const NOON = Date.UTC(2030, 0, 1, 12);

  it("every moment of a minute has the same few slots, and the next minute has others", () => {
    expect(slotsAt(NOON)).toHaveLength(SLOTS_A_MINUTE);
    expect(slotsAt(NOON + 59_999)).toEqual(slotsAt(NOON));
    expect(slotsAt(NOON + 60_000).filter((slot) => slotsAt(NOON).includes(slot))).toEqual([]);
  });

  it("slots are old when their minute and the next one are over", () => {
    for (const later of [1000, 60_000])
      expect(slotsAt(NOON).map((slot) => isOldSlot(slot, NOON + later))).not.toContain(true);
    for (const away of [120_000, -60_000])
      expect(slotsAt(NOON).map((slot) => isOldSlot(slot, NOON + away))).not.toContain(false);
    expect(isOldSlot("left-out", NOON)).toBe(false);
  });
});
