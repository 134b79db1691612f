/** What was said while a turn went on. */
import { describe, expect, test } from "vitest";
import { messagesOf } from "../../src/turns/rules/turn-messages.ts";
import { agent, claimed, released, said, told } from "../surfaces/page/told-log.ts";

const EVENTS = told([
  said(0, "before"),
  claimed(1, 1),
  said(2, "first\nsecond line", "claude:1", agent("codex:1")),
  said(3, "to all"),
  released(4, 1),
  said(5, "after"),
]);

describe("the messages of a turn", () => {
  test("are those from its claim to its end, the oldest first, with their first lines", () => {
    const found = messagesOf({ firstSeq: 2, lastSeq: 5 }, EVENTS);
    expect(found.map(({ eventSeq, toAgentId, preview }) => [eventSeq, toAgentId, preview])).toEqual([
      [3, "codex:1", "first"],
      [4, null, "to all"],
    ]);
  });

  test("of a turn that goes on are all since its claim", () => {
    expect(messagesOf({ firstSeq: 2, lastSeq: null }, EVENTS).map(({ eventSeq }) => eventSeq)).toEqual([3, 4, 6]);
  });

  test("are the newest fifty", () => {
    const many = told(Array.from({ length: 60 }, (_, index) => said(index, `message ${index}`)));
    const found = messagesOf({ firstSeq: 1, lastSeq: null }, many);
    expect([found.length, found[0]?.preview, found.at(-1)?.preview]).toEqual([50, "message 10", "message 59"]);
  });

  test("are cut without half a character", () => {
    const [message] = messagesOf({ firstSeq: 1, lastSeq: null }, told([said(0, "🦜".repeat(200))]));
    expect(message?.preview).toBe(`${"🦜".repeat(99)}…`);
  });
});
