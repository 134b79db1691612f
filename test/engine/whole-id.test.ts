/** Callers may name messages, notes, rooms and sessions by the beginning of their ids. */
import { describe, expect, it } from "vitest";
import { wordNext } from "../../src/core/next.ts";
import type { Refusal } from "../../src/core/refusal.ts";
import type { Deps } from "../../src/engine/deps.ts";
import { wholeId } from "../../src/engine/whole-id.ts";
import { createTalkingStick } from "../../src/surfaces/library/talking-stick.ts";
import { agentCalled } from "../support/service-ports.ts";
import { accepted, ServiceWorld } from "../support/service-world.ts";

/** Two agents in one room, whose ids have the form of real ones, and begin as the test says. */
async function roomWithIds() {
  const world = new ServiceWorld();
  const contextPath = world.directory("tree");
  let begin = "joining";
  let made = 0;
  const id = () => `${begin}${String((made += 1)).padStart(25 - begin.length, "0")}`;
  const deps: Deps = { ...world.deps, random: { id } };
  const [a, b] = ["a:1", "b:2"].map((agent) => createTalkingStick(deps, agentCalled(agent)));
  if (!a || !b) throw new Error("two agents");
  const { roomId } = accepted(await a.joinPath({ contextPath }));
  accepted(await b.joinPath({ contextPath }));
  const send = async (beginning: string) => {
    begin = beginning;
    return accepted(await a.sendMessage({ roomId, to: "b:2", body: "hello" })).messageId;
  };
  const note = async (beginning: string) => {
    begin = beginning;
    return accepted(await a.addNote({ roomId, body: "fixture 7" })).noteId;
  };
  return { deps, a, b, roomId, send, note };
}

describe("given ids that begin differently", () => {
  it("when four characters are given, then they name the message at every door", async () => {
    const { a, b, roomId, send } = await roomWithIds();
    const messageId = await send("abcd");
    await send("abce");
    expect(accepted(await a.messageStatus({ messageId: "abcd" })).messageId).toBe(messageId);
    const taken = accepted(await b.takeMessages({ ack: "manual", limit: 1 }));
    expect(taken.answer.messages).toMatchObject([{ messageId }]);
    accepted(await b.replyToMessage({ roomId, messageId: "abcd", body: "yes" }));
    expect(accepted(await a.takeMessages({})).answer.messages).toMatchObject([{ replyTo: messageId }]);
    accepted(await a.sendMessage({ roomId, to: "b:2", body: "again", sourceMessageId: "abcd0" }));
    accepted(await b.nackMessage({ messageId: "abcd", reason: "not now" }));
    expect(await b.ackMessage({ messageId: "abcd" })).toMatchObject({ error: "attempt_stale" });
    expect(await b.requeueDeadLetter({ messageId: "abcd" })).toMatchObject({ error: "message_not_found" });
  });

  it("when all but the place in its commit is given, then it is the message", async () => {
    const { a, send } = await roomWithIds();
    const messageId = await send("abcdef");
    expect(accepted(await a.messageStatus({ messageId: messageId.slice(0, 25) })).messageId).toBe(messageId);
  });

  it("when the beginning of a room's or a note's is given, then it names that", async () => {
    const { a, roomId, note } = await roomWithIds();
    const older = await note("fedcba");
    const newer = await note("fedcbb");
    const listed = accepted(await a.listNotes({ roomId: roomId.slice(0, 24), beforeNoteId: "fedcbb" }));
    expect(listed.notes.map(({ noteId }) => noteId)).toEqual([older]);
    expect(accepted(await a.resolveNote({ roomId, noteId: "fedcbb" })).noteId).toBe(newer);
  });

  it("when fewer than four are given, or what no id begins with, then there is no such thing", async () => {
    const { a, roomId, send } = await roomWithIds();
    await send("abcdef");
    for (const messageId of ["abc", "abcdee", "ABCDEF"]) {
      expect(await a.messageStatus({ messageId })).toMatchObject({ error: "message_not_found" });
    }
    const four = /at least .*first (4|four) characters/;
    for (const short of [
      await a.messageStatus({ messageId: "abc" }),
      await a.resolveNote({ roomId, noteId: "abc" }),
      await a.getRoomState({ roomId: "abc" }),
    ])
      expect(wordNext((short as Refusal).next)).toMatch(four);
    expect(await a.getRoomState({ roomId: `${roomId}0` })).toMatchObject({ error: "room_not_found" });
    expect(await a.getRoomState({ roomId: "no-such-room" })).toMatchObject({ error: "room_not_found" });
  });
});

describe("given ids that begin alike", () => {
  it("when the common beginning is given, then it is refused with up to five of them", async () => {
    const { a, send } = await roomWithIds();
    const ids: string[] = [];
    for (const _ of [1, 2]) ids.push(await send("abcdef"));
    expect(await a.messageStatus({ messageId: "abcdef" })).toMatchObject({
      error: "ambiguous_id",
      message: '2 messages have an id that begins with "abcdef".',
      facts: { candidates: ids },
    });
    for (const _ of [1, 2, 3, 4]) ids.push(await send("abcdef"));
    expect(await a.messageStatus({ messageId: "abcdef" })).toMatchObject({
      message: 'More than 5 messages have an id that begins with "abcdef".',
      facts: { candidates: ids.slice(0, 5) },
    });
  });

  it("when one of them is given whole, then it is that one", async () => {
    const { deps } = await roomWithIds();
    const ids = ["abcdefgh", "abcdefgh-1"];
    const store = { ...deps.store, readIds: async () => ids } as Deps["store"];
    expect(await wholeId({ store }, "message", "abcdefgh")).toBe("abcdefgh");
    expect(await wholeId({ store }, "message", "abcdef")).toMatchObject({ error: "ambiguous_id" });
  });
});
