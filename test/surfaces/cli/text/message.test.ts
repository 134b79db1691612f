import { expect, test } from "vitest";
import { asAgentId, asEventId } from "../../../../src/core/ids.ts";
import { askedText, askingText, sentText } from "../../../../src/surfaces/cli/text/message.ts";
import { widthOf } from "../../../../src/surfaces/words/width.ts";
import { pageOf } from "../../../support/page.ts";

const SILENT = { host: "db-2\u001b[2J", hostSilentMs: 185_000 };
const ID = asEventId("e1");

test("a sender reads which machine is silent and since when, on lines that fit", () => {
  const receipt = { state: "pending", willBeSeen: "unknown" } as const;
  const deliveries = [
    { ...receipt, to: asAgentId("ann:1") },
    { ...receipt, to: asAgentId("bob:1"), ...SILENT },
  ];
  const sent = { messageId: ID, eventSeq: 1, createdAt: "", deliveries };
  expect(sentText(sent, pageOf(200), false).split("\n").slice(1, 3)).toEqual([
    "ann:1 sees it when it next checks its mail.",
    "bob:1 sees it when it next checks its mail. Its machine, db-2\\u{1b}[2J, was last heard of 3m ago: it may be dead or cut off.",
  ]);
  for (const line of sentText(sent, pageOf(40), false).split("\n")) expect(widthOf(line)).toBeLessThanOrEqual(40);
});

test("an asker whose time is up reads it, too", () => {
  const asked = { messageId: ID, requestId: ID, reply: null, correlation: "none", timeoutMs: 90_000 } as const;
  const shown = askedText({ ...asked, ...SILENT, wakeStatus: "skipped_no_target", timedOut: true }, pageOf(500));
  expect(shown).toMatch(
    /^No answer within 1m\. The peer's machine, db-2.*, was last heard of 3m ago: it may be dead or cut off\. The question stays open:/,
  );
});

test("the line of a waiting asker tells of the silence and how to stop, within 77 columns", () => {
  const receipt = { to: asAgentId("claude:7f3a2c"), state: "pending", willBeSeen: "unknown" } as const;
  const deliveries = [{ ...receipt, ...SILENT, host: "build-server-2" }];
  const seen = { to: "claude:7f3a2c", sent: { messageId: ID, eventSeq: 1, createdAt: "", deliveries } };
  const line = askingText(seen, pageOf(80).names);
  expect(line).toBe("Asked claude:7f3a2c; build-server-2 silent for 3m. Ctrl-C stops waiting.");
  expect(widthOf(line)).toBeLessThanOrEqual(77);
});
