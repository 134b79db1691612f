import { describe, expect, it } from "vitest";
import { type AgentId, asAgentId } from "../../../src/core/ids.ts";
import type { DeliveryMark } from "../../../src/peers/rules/picture-talk.ts";
import { markWords } from "../../../src/surfaces/picture/mark-words.ts";
import { messageKindWords } from "../../../src/surfaces/picture/message-words.ts";

const ME = asAgentId("human:me");
const READER = { me: ME, nameOf: (agentId: AgentId) => agentId };

function words(marks: Readonly<Record<string, DeliveryMark>>): readonly string[] {
  const of = Object.entries(marks).map(([to, mark]) => ({ to: asAgentId(to), mark }));
  return markWords(of, READER).map((one) => one.words);
}

describe("what became of a message", () => {
  it("needs no name for its only recipient", () => {
    expect(words({ a: "read" })).toEqual(["read"]);
    expect(words({ a: "dead" })).toEqual(["will not be read"]);
    expect(words({})).toEqual([]);
  });

  it("names two recipients and counts more, those first that need a look", () => {
    expect(words({ a: "read", b: "waiting", "human:me": "read" })).toEqual(["waits for b", "read by a and you"]);
    expect(words({ a: "read", b: "read", c: "read", d: "dead" })).toEqual(["will not be read by d", "read by 3"]);
  });
});

describe("the kind of a message", () => {
  it.each([
    [{}, false, ""],
    [{ origin: "human" }, false, "a person"],
    [{ origin: "human" }, true, ""],
    [{ kind: "ask" }, false, "asks and waits"],
    [{ kind: "stick_request", deliveryHint: "interrupt" }, false, "asks for the stick, interrupts"],
    [{ replyTo: "e1" }, false, "answers"],
  ])("of %o, the reader's own: %s, is %j", (payload, isMine, kind) => {
    expect(messageKindWords(payload as never, isMine)).toBe(kind);
  });
});
