import { expect, test } from "vitest";
import type { AgentId, EventId, RoomId } from "../../../../src/core/ids.ts";
import type { PageSource } from "../../../../src/surfaces/page/source.ts";
import {
  type AskedByMe,
  addressed,
  answering,
  arrived,
  askAgain,
  askEnded,
  asking,
  awaitedIn,
  EMPTY_COMPOSER,
  failed,
  type LetterState,
  letterOf,
  ofKind,
  ROOM,
  sending,
  typed,
  whyNotSent,
} from "../../../../src/surfaces/page/views/talk/composer-state.ts";
import { composerOf } from "../../../../src/surfaces/page/views/talk/use-composer.ts";

const ROOM_ID = "room-1" as RoomId;
const CODEX = "codex:1" as AgentId;

function toCodex(text: string): LetterState {
  return typed(addressed(EMPTY_COMPOSER, CODEX), text);
}

function sentAndFailed(state: LetterState): LetterState {
  return failed(sending(state, letterOf(state, ROOM_ID, "first")), "no answer");
}

test("a text that is sent again after a failure is the same message", () => {
  const state = sentAndFailed(toCodex("hello"));
  expect(state).toMatchObject({ text: "hello", fault: "no answer", isSending: false });
  expect(letterOf(state, ROOM_ID, "second").msgId).toBe("first");
});

test.each<[change: string, changed: (state: LetterState) => LetterState]>([
  ["another text", (state) => typed(state, "hello you")],
  ["another recipient", (state) => addressed(state, ROOM)],
  ["another kind", (state) => ofKind(state, "interrupt")],
  ["a message to answer", (state) => answering(state, { messageId: "e1" as EventId, from: CODEX, words: "" })],
])("with %s it is another message", (_, changed) => {
  expect(letterOf(changed(sentAndFailed(toCodex("hello"))), ROOM_ID, "second").msgId).toBe("second");
});

test("the same text that arrived before is another message", () => {
  const state = toCodex("hello");
  const after = typed(arrived(sending(state, letterOf(state, ROOM_ID, "first")), state), "hello");
  expect(letterOf(after, ROOM_ID, "second").msgId).toBe("second");
});

test("what was typed while a message was on its way stays", () => {
  const state = toCodex("hello");
  const meanwhile = typed(sending(state, letterOf(state, ROOM_ID, "first")), "hello and more");
  expect(arrived(meanwhile, state)).toMatchObject({ text: "hello and more", isSending: false });
});

test("the recipient stays after a message has arrived, and interrupting ends", () => {
  const state = ofKind(toCodex("stop"), "interrupt");
  expect(arrived(state, state)).toMatchObject({ text: "", to: CODEX, kind: "message" });
});

test("the room can be neither asked nor interrupted", () => {
  expect(ofKind(EMPTY_COMPOSER, "ask").kind).toBe("message");
  expect(addressed(ofKind(toCodex("a"), "interrupt"), ROOM).kind).toBe("message");
});

test.each<[operation: string, state: LetterState, input: object]>([
  ["send_message", typed(EMPTY_COMPOSER, "a"), { to: "room", body: "a" }],
  ["send_message", ofKind(toCodex("a"), "interrupt"), { to: CODEX, delivery_hint: "interrupt" }],
  ["ask_peer", ofKind(toCodex("a"), "ask"), { to: CODEX, body: "a" }],
  [
    "reply_to_message",
    answering(ofKind(toCodex("a"), "ask"), { messageId: "e1" as EventId, from: CODEX, words: "" }),
    { message_id: "e1", body: "a" },
  ],
])("it is sent by %s", (operation, state, input) => {
  expect(letterOf(state, ROOM_ID, "m")).toMatchObject({
    operation,
    input: { ...input, room_id: ROOM_ID, msg_id: "m" },
  });
});

test("a question leaves the field at once, and comes back under its name if it is refused", () => {
  const state = ofKind(toCodex("why?"), "ask");
  const asked = asking(state, letterOf(state, ROOM_ID, "q1"));
  expect(asked).toMatchObject({ text: "", to: CODEX, kind: "message" });
  const refused = askEnded(asked, "q1", { state: "refused", words: "no" });
  const back = askAgain(refused, refused.asked[0] as (typeof refused.asked)[0]);
  expect(back).toMatchObject({ text: "why?", kind: "ask", asked: [] });
  expect(letterOf(back, ROOM_ID, "q2").msgId).toBe("q1");
});

test("a fourth question is not asked while three are awaited, but a message is sent", () => {
  const three = ["q1", "q2", "q3"].reduce((state, name) => {
    const next = ofKind(typed(addressed(state, CODEX), name), "ask");
    return asking(next, letterOf(next, ROOM_ID, name));
  }, EMPTY_COMPOSER);
  const fourth = typed(three, "more");
  const afterOne = askEnded(fourth, "q1", { state: "answered", words: null });
  expect(whyNotSent(ofKind(fourth, "ask"), awaitedIn(fourth))).toMatch(/3 answers/);
  expect(whyNotSent(fourth, awaitedIn(fourth))).toBeNull();
  expect(whyNotSent(ofKind(afterOne, "ask"), awaitedIn(afterOne))).toBeNull();
});

test("questions in other rooms count, too: the connections of a browser are those of the page", async () => {
  const asked: string[] = [];
  const ask = (_: string, input: { readonly room_id: string }) => {
    asked.push(input.room_id);
    return new Promise(() => {});
  };
  const source = { ask } as unknown as PageSource;
  for (const room of ["room-1", "room-1", "room-2", "room-3"]) {
    const composer = composerOf(source, room as RoomId);
    composer.change((state) => ofKind(typed(addressed(state, CODEX), "may I?"), "ask"));
    void composer.send();
  }
  expect(asked).toEqual(["room-1", "room-1", "room-2"]);
  expect(composerOf(source, "room-3" as RoomId).state()).toMatchObject({ text: "may I?" });
});

test("an empty text is not sent, nor one that is on its way", () => {
  expect(whyNotSent(typed(EMPTY_COMPOSER, " \n"), 0)).toBe("");
  const state = toCodex("hello");
  expect(whyNotSent(sending(state, letterOf(state, ROOM_ID, "m")), 0)).toBe("");
});

test.each<[what: string, state: LetterState, to: string]>([
  ["a message", toCodex("hello"), CODEX],
  ["one to the room", typed(EMPTY_COMPOSER, "hello"), ROOM],
  ["an answer", answering(typed(EMPTY_COMPOSER, "yes"), { messageId: "e1" as EventId, from: CODEX, words: "" }), CODEX],
])("%s that arrived says who gets it, until the person writes again", (_, state, to) => {
  const after = arrived(sending(state, letterOf(state, ROOM_ID, "first")), state);
  expect(after.sentTo).toBe(to);
  expect(typed(after, "a").sentTo).toBeNull();
});

test("a refused question does not come back over another text in the field", () => {
  const asked = ofKind(toCodex("may I?"), "ask");
  const letter = letterOf(asked, ROOM_ID, "first");
  const refused = askEnded(asking(asked, letter), "first", { state: "refused", words: "no" });
  const back = askAgain(typed(refused, "something else"), refused.asked[0] as AskedByMe);
  expect(back).toMatchObject({ text: "something else", fault: "Send or clear the text below first." });
  expect(back.asked).toHaveLength(1);
});
