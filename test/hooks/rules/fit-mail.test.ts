import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { asAgentId, asEventId, asRoomId } from "../../../src/core/ids.ts";
import { fittingMail, mailText } from "../../../src/hooks/rules/fit-mail.ts";
import type { ReceivedMessage } from "../../../src/mail/rules/message.ts";

let made = 0;

function message(from: string, body: string): ReceivedMessage {
  made += 1;
  return {
    messageId: asEventId(`m${made}`),
    from: asAgentId(from),
    to: asAgentId("claude:1"),
    room: { id: asRoomId("room"), path: "/tree" },
    handle: null,
    harness: "codex",
    origin: "peer",
    body,
    bodyBytes: body.length,
    deliveryHint: "normal",
    createdAt: "2026-01-01T00:00:00.000Z",
    attempt: 1,
    deliverySeq: made,
  };
}

const FOLLOWS_NOT = { follows: false, goesOn: false };
const never = () => false;

function fitting(messages: readonly ReceivedMessage[], budget: number): readonly ReceivedMessage[] {
  return fittingMail(messages, { now: budget, ever: budget }, never).fitting;
}

const bodies = (messages: readonly ReceivedMessage[]) => messages.map(({ body }) => body);

describe("what fits into a hook", () => {
  test("all of it, if it does", () => {
    const mail = [message("a:1", "one"), message("b:2", "two")];
    expect(fitting(mail, 9000)).toEqual(mail);
  });

  test("whole messages only, and the rest in its order next time", () => {
    const mail = ["1", "2", "3"].map((start) => message("a:1", start + "x".repeat(4000)));
    expect(fitting(mail, 9000)).toEqual(mail.slice(0, 2));
    expect(fitting(mail.slice(2), 9000)).toEqual(mail.slice(2));
  });

  test("what could never fit holds back its own sender's mail and nobody else's", () => {
    const mail = [message("a:1", "x".repeat(9000)), message("b:2", "short"), message("a:1", "later")];
    expect(bodies(fitting(mail, 9000))).toEqual(["short"]);
  });

  test("what does not fit now and would fit alone comes with the next hook", () => {
    const mail = [message("a:1", "x".repeat(5000)), message("a:1", "y".repeat(5000)), message("b:2", "z".repeat(9000))];
    const budget = { now: 9000, ever: 9000 };
    expect(fittingMail(mail, budget, never)).toEqual({ fitting: mail.slice(0, 1), later: 1 });
    const tight = { now: 3000, ever: 9000 };
    expect(fittingMail(mail, tight, never)).toEqual({ fitting: [], later: 2 });
  });

  test("what no hook may show holds back its own sender's mail", () => {
    const mail = [message("a:1", "bad"), message("a:1", "later"), message("b:2", "fine")];
    const found = fittingMail(mail, { now: 9000, ever: 9000 }, ({ body }) => body === "bad");
    expect(found).toEqual({ fitting: mail.slice(2), later: 0 });
  });

  test("nothing of nothing, and nothing where there is no room", () => {
    expect(fitting([], 9000)).toEqual([]);
    expect(fitting([message("a:1", "one")], 0)).toEqual([]);
    expect(fitting([message("a:1", "one")], -200)).toEqual([]);
  });

  test("whatever the bodies are, the text keeps to its budget and each sender's order", () => {
    const mail = fc.array(
      fc.tuple(fc.constantFrom("a:1", "b:2", "c:3"), fc.string({ unit: "binary", maxLength: 3000 })),
    );
    fc.assert(
      fc.property(mail, fc.integer({ min: 0, max: 9000 }), fc.nat({ max: 1_000_000 }), (given, budget, left) => {
        const messages = given.map(([from, body]) => message(from, body));
        const shownNow = fitting(messages, budget);
        if (shownNow.length > 0)
          expect(mailText(shownNow, left, { follows: false, goesOn: true }).length).toBeLessThanOrEqual(budget);
        for (const sender of ["a:1", "b:2", "c:3"]) {
          const sent = messages.filter(({ from }) => from === asAgentId(sender));
          const shown = shownNow.filter(({ from }) => from === asAgentId(sender));
          expect(shown).toEqual(sent.slice(0, shown.length));
        }
      }),
    );
  });
});

describe("what is left", () => {
  test("is named by its number", () => {
    const one = message("a:1", "one");
    expect(mailText([one], 2, FOLLOWS_NOT).split("\n").at(-1)).toBe(
      "[2 more messages in your mailbox: read them with read_my_messages]",
    );
    expect(mailText([], 1, FOLLOWS_NOT)).toBe("[1 message in your mailbox: read it with read_my_messages]");
    expect(mailText([one], 2, { follows: false, goesOn: true })).toContain(
      "[2 more messages in your mailbox: they come with your next tool call, or read them with read_my_messages]",
    );
    expect(mailText([], 1, { follows: true, goesOn: true })).toContain(
      "if this prompt does not show it, read it with read_my_messages",
    );
    expect(mailText([one], 0, FOLLOWS_NOT)).toMatch(/\n {2}one\n\[end\]$/);
    expect(mailText([], 0, FOLLOWS_NOT)).toBe("");
  });
});
