import { expect, test } from "vitest";
import type { RoomEvent } from "../../../../src/core/event.ts";
import { type AgentId, asAgentId } from "../../../../src/core/ids.ts";
import { announcementOf } from "../../../../src/surfaces/page/shell/announcement.ts";

const [ME, CODEX] = ["human:me", "codex:1"].map(asAgentId) as [AgentId, AgentId];
const READER = { me: ME, nameOf: (agentId: AgentId) => agentId.split(":")[0] ?? "" };

function said(from: AgentId | null, to: AgentId | null, body = "hello"): RoomEvent {
  return { type: "message_sent", fromAgentId: from, toAgentId: to, payload: { body } } as unknown as RoomEvent;
}

const CLAIM = { type: "claim", fromAgentId: CODEX, toAgentId: null, payload: {} } as unknown as RoomEvent;

test.each<[what: string, newer: readonly RoomEvent[], words: string]>([
  ["nothing", [], ""],
  ["what only happened", [CLAIM], ""],
  ["the person's own", [said(ME, CODEX)], ""],
  ["one", [CLAIM, said(CODEX, ME)], "codex to you: hello"],
  ["one to all", [said(CODEX, null)], "codex to the room: hello"],
  ["two", [said(CODEX, ME, "a"), said(CODEX, null, "b")], "codex to you: a codex to the room: b"],
  ["many", [said(CODEX, ME), said(CODEX, null), said(ME, CODEX), said(CODEX, ME)], "3 new messages, 2 to you."],
  ["many to others", [said(CODEX, null), said(CODEX, null), said(CODEX, null)], "3 new messages."],
])("is said of %s", (_, newer, words) => expect(announcementOf(newer, READER)).toBe(words));

test("a long message is cut, and control characters do not get through", () => {
  const words = announcementOf([said(CODEX, ME, `\u001b[2J${"long ".repeat(100)}`)], READER);
  expect(words.length).toBeLessThan(160);
  expect(words).not.toContain("\u001b");
});
