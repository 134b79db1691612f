import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fittingMail, mailText } from "../../../src/domain/hooks/fit-mail.ts";
import { asAgentId, asEventId } from "../../../src/domain/ids.ts";
import type { ReceivedMessage } from "../../../src/domain/mail/message.ts";

let made = 0;

function message(from: string, body: string): ReceivedMessage {
  made += 1;
  return {
    messageId: asEventId(`m${made}`),
    from: asAgentId(from),
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

const bodies = (messages: readonly ReceivedMessage[]) => messages.map(({ body }) => body);

describe("what fits into a hook", () => {
  test("all of it, if it does", () => {
    const mail = [message("a:1", "one"), message("b:2", "two")];
    expect(fittingMail(mail, 9000)).toEqual(mail);
  });

  test("whole messages only, and the rest in its order next time", () => {
    const mail = ["1", "2", "3"].map((start) => message("a:1", start + "x".repeat(4000)));
    expect(fittingMail(mail, 9000)).toEqual(mail.slice(0, 2));
    expect(fittingMail(mail.slice(2), 9000)).toEqual(mail.slice(2));
  });

  test("what could never fit holds back its own sender's mail and nobody else's", () => {
    const mail = [message("a:1", "x".repeat(9000)), message("b:2", "short"), message("a:1", "later")];
    expect(bodies(fittingMail(mail, 9000))).toEqual(["short"]);
  });

  test("nothing of nothing, and nothing where there is no room", () => {
    expect(fittingMail([], 9000)).toEqual([]);
    expect(fittingMail([message("a:1", "one")], 0)).toEqual([]);
    expect(fittingMail([message("a:1", "one")], -200)).toEqual([]);
  });

  test("whatever the bodies are, the text keeps to its budget and each sender's order", () => {
    const mail = fc.array(
      fc.tuple(fc.constantFrom("a:1", "b:2", "c:3"), fc.string({ unit: "binary", maxLength: 3000 })),
    );
    fc.assert(
      fc.property(mail, fc.integer({ min: 0, max: 9000 }), fc.nat({ max: 1_000_000 }), (given, budget, left) => {
        const messages = given.map(([from, body]) => message(from, body));
        const fitting = fittingMail(messages, budget);
        if (fitting.length > 0) expect(mailText(fitting, left).length).toBeLessThanOrEqual(budget);
        for (const sender of ["a:1", "b:2", "c:3"]) {
          const sent = messages.filter(({ from }) => from === asAgentId(sender));
          const shown = fitting.filter(({ from }) => from === asAgentId(sender));
          expect(shown).toEqual(sent.slice(0, shown.length));
        }
      }),
    );
  });
});

describe("what is left", () => {
  test("is named by its number", () => {
    const one = message("a:1", "one");
    expect(mailText([one], 2).split("\n").at(-1)).toBe(
      "[2 more messages in your mailbox: get them with read_my_messages]",
    );
    expect(mailText([], 1)).toBe("[1 message in your mailbox: get it with read_my_messages]");
    expect(mailText([], 1, true)).toContain("what is not shown with this prompt, get with read_my_messages");
    expect(mailText([one], 0)).toMatch(/\n {2}one\n\[end\]$/);
    expect(mailText([], 0)).toBe("");
  });
});
