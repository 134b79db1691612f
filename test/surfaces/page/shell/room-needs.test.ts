import { describe, expect, test } from "vitest";
import { type AgentId, asAgentId, asEventId, asRoomId } from "../../../../src/core/ids.ts";
import type { RoomPicture } from "../../../../src/peers/rules/picture.ts";
import type { AgentRow, PersonNeed } from "../../../../src/peers/rules/picture-agents.ts";
import { isStuck, type Reason } from "../../../../src/peers/rules/wait-graph.ts";
import { roomNeeds, roomsInOrder, tellsWhy } from "../../../../src/surfaces/page/shell/room-needs.ts";

const [ME, OTHER, CODEX] = ["human:me", "human:other", "codex:1"].map(asAgentId) as [AgentId, AgentId, AgentId];
const Q = asEventId("q");
const PAUSED = { kind: "paused", by: ME, since: "2026-01-01T12:00:00.000Z", reason: null } as const satisfies Reason;
const FREE = { kind: "free", waiting: [] } as const satisfies Reason;
const GONE = { kind: "asked_gone", asker: CODEX, asked: OTHER } as const satisfies Reason;

function asks(person: AgentId): PersonNeed {
  return { kind: "answer", person, messageId: Q, question: "?" };
}

function room(reason: Reason, needs: readonly PersonNeed[] = [], name = "room"): RoomPicture {
  const agents = needs.map((need) => ({ agentId: CODEX, needs: need }) as AgentRow);
  const why = { reason, isStuck: isStuck(reason), step: null };
  return { roomId: asRoomId(name), agents, why, me: ME, names: {} } as unknown as RoomPicture;
}

function question(person: AgentId, others: number): Reason {
  return { kind: "question", asker: CODEX, person, messageId: Q, others };
}

describe("what needs the person", () => {
  test.each<[what: string, picture: RoomPicture, needs: object]>([
    ["a question to the person", room(question(ME, 0), [asks(ME)]), { questions: 1, prompts: 0, isStuck: false }],
    ["one to another person", room(question(OTHER, 0), [asks(OTHER)]), { questions: 0, prompts: 0, isStuck: true }],
    [
      "a prompt in a terminal",
      room({ kind: "permission", agent: CODEX, others: 0 }, [{ kind: "permission" }]),
      { questions: 0, prompts: 1, isStuck: false },
    ],
    ["a pause", room(PAUSED), { questions: 0, prompts: 0, isStuck: false }],
    ["an agent that waits for one that is gone", room(GONE), { questions: 0, prompts: 0, isStuck: true }],
    ["a free stick", room(FREE), { questions: 0, prompts: 0, isStuck: false }],
  ])("of %s", (_, picture, needs) => expect(roomNeeds(picture)).toEqual(needs));

  test("rooms with it stand apart, and the order of both stays", () => {
    const rooms = [room(FREE, [], "a"), room(GONE, [], "b"), room(PAUSED, [], "c"), room(FREE, [asks(ME)], "d")];
    const { needy, calm } = roomsInOrder(rooms);
    expect([needy, calm].map((of) => of.map(({ roomId }) => roomId))).toEqual([
      ["b", "d"],
      ["a", "c"],
    ]);
  });
});

describe("the reason is told", () => {
  test.each<[what: string, picture: RoomPicture, isTold: boolean]>([
    ["not if the question stands below", room(question(ME, 0), [asks(ME)]), false],
    ["not if all questions stand below", room(question(ME, 1), [asks(ME), asks(ME)]), false],
    ["if others need a person too", room(question(ME, 1), [asks(ME)]), true],
    ["if another person is asked", room(question(OTHER, 0), [asks(OTHER)]), true],
    [
      "not of a question that was left, which stands below",
      room({ kind: "unanswered", asker: CODEX, person: ME, messageId: Q }),
      false,
    ],
    ["of one that was left to another", room({ kind: "unanswered", asker: CODEX, person: OTHER, messageId: Q }), true],
    ["not of a pause, which has a line of its own", room(PAUSED), false],
    ["of an agent that waits for one that is gone", room(GONE), true],
    ["not if all is well", room(FREE), false],
    ["not if the holder works", room({ kind: "held", holder: CODEX, waiting: [], asked: null }), false],
    ["if the holder awaits an answer", room({ kind: "held", holder: CODEX, waiting: [], asked: OTHER }), true],
  ])("%s", (_, picture, isTold) => expect(tellsWhy(picture)).toBe(isTold));
});
