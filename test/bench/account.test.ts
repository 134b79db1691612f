/** The account of the run at scale is only worth something if it notices what it looks for. */
import { expect, test } from "vitest";
import { accountOf } from "../../bench/scale/account.ts";
import { phaseOf, type Reading } from "../../bench/scale/phase.ts";
import type { Deed, Life, RoomLog } from "../../bench/scale/records.ts";

const ROOM = "room-1";

function deed(call: Deed["call"], begunUs: number, endedUs: number, facts: Partial<Deed> = {}): Deed {
  return { call, begunUs, endedUs, ...facts };
}

function life(agentId: string, deeds: readonly Deed[], killedUs: number | null = null): Life {
  return { agentId, roomId: ROOM, deeds, killedUs };
}

/** Ann works and sends, then Bob, who was waiting, gets the turn and the message. */
const ann = life("ann", [
  deed("wait", 0, 10, { turnId: 1, handoff: null }),
  deed("send", 20, 30, { messageId: "m1", to: "bob" }),
  deed("release", 40, 50, { turnId: 1, handoff: "ann is done" }),
]);
const bob = life("bob", [
  deed("receive", 5, 32, { shown: ["m1"] }),
  deed("wait", 6, 45, { turnId: 2, handoff: "ann is done" }),
  deed("release", 60, 70, { turnId: 2, handoff: "bob is done" }),
]);
const log: RoomLog = {
  roomId: ROOM,
  grants: [
    { turnId: 1, agentId: "ann" },
    { turnId: 2, agentId: "bob" },
  ],
  handoffs: new Map([
    [1, "ann is done"],
    [2, "bob is done"],
  ]),
  messages: new Set(["m1"]),
};

function at(atUs: number): Reading {
  return { atUs, serverCpu: 0, agentsCpu: 0, commits: 0, walBytes: 0, databaseBytes: 0 };
}

function without(one: Life, call: Deed["call"]): Life {
  return { ...one, deeds: one.deeds.filter((of) => of.call !== call) };
}

test("a story in which all goes well has nothing lost, doubled or wrong", () => {
  expect(accountOf([ann, bob], [log])).toEqual({
    lost: [],
    doubled: [],
    wrong: [],
    messages: 1,
    cameAgain: 0,
    turns: 2,
  });
});

test("a message that its agent never saw is lost", () => {
  expect(accountOf([ann, without(bob, "receive")], [log]).lost).toEqual(["bob never saw m1, which ann sent"]);
});

test("a message that another agent saw is lost anyway", () => {
  const cy = life("cy", [deed("receive", 5, 32, { shown: ["m1"] })]);
  expect(accountOf([ann, without(bob, "receive"), cy], [log]).lost).toHaveLength(1);
});

test("an answer that came with the question's own wait was seen", () => {
  const asker = life("ann", [deed("ask", 0, 9, { messageId: "q", to: "bob", shown: ["a"] })]);
  const answerer = life("bob", [
    deed("receive", 0, 3, { shown: ["q"] }),
    deed("reply", 4, 6, { messageId: "a", to: "ann" }),
  ]);
  const { lost, messages } = accountOf([asker, answerer], [{ ...log, messages: new Set(["q", "a"]) }]);
  expect({ lost, messages }).toEqual({ lost: [], messages: 2 });
});

test("a message that came in both lives of an agent came again", () => {
  const killed = life("bob", [deed("receive", 5, 32, { shown: ["m1"] })], 33);
  expect(accountOf([ann, killed, bob], [log])).toMatchObject({ lost: [], cameAgain: 1 });
});

test("a turn that two agents were granted is doubled", () => {
  const cy = life("cy", [deed("wait", 6, 46, { turnId: 2, handoff: "ann is done" })]);
  expect(accountOf([ann, bob, cy], [log]).doubled).toEqual(["cy got turn 2 while bob had turn 2"]);
});

test("a turn that begins before the last one ends is doubled", () => {
  const early = life("bob", [deed("wait", 6, 35, { turnId: 2, handoff: "ann is done" })]);
  expect(accountOf([ann, early], [log]).doubled).toEqual(["bob got turn 2 while ann had turn 1"]);
});

test("a killed holder's turn ends with it, and one that returns may be told of its turn again", () => {
  const killed = life("ann", [deed("wait", 0, 10, { turnId: 1, handoff: null })], 20);
  const returned = life("ann", [deed("wait", 25, 30, { turnId: 1, handoff: null })], 32);
  const heir = life("bob", [deed("take over", 35, 38, { turnId: 2, handoff: null })]);
  const { doubled, turns } = accountOf([killed, returned, heir], [log]);
  expect({ doubled, turns }).toEqual({ doubled: [], turns: 2 });
});

test("a release whose first try failed ends the turn with that try", () => {
  const tried = life("ann", [
    deed("wait", 0, 10, { turnId: 1, handoff: null }),
    deed("release", 40, 50, { turnId: 1, handoff: "ann is done", fault: "store_unreachable" }),
    deed("release", 60, 70, { turnId: 1, handoff: "ann is done", refused: "stale_lease" }),
  ]);
  expect(accountOf([tried, bob], [log]).doubled).toEqual([]);
});

test("a grant with an old handoff, or one that the log does not know, does not fit", () => {
  const stale = life("bob", [deed("wait", 6, 45, { turnId: 2, handoff: null })]);
  expect(accountOf([ann, stale], [log]).wrong).toEqual([
    `bob was told of turn 2 with the handoff "null" instead of "ann is done"`,
  ]);
  expect(accountOf([bob], [{ ...log, grants: [] }]).wrong).toEqual([
    "bob was told of turn 2, which the log gives to nobody",
  ]);
  expect(accountOf([ann, bob], [{ ...log, messages: new Set() }]).wrong).toEqual(["the log lacks m1, which ann sent"]);
});

test("a latency counts for those that were waiting, and within its phase", () => {
  const facts = { pace: 1, from: at(0), until: at(1000), connections: [] };
  const late = life("cy", [deed("receive", 25, 90, { shown: ["m1"] })]);
  const phase = phaseOf(facts, [ann, bob, late], null);
  expect({ messages: phase.messages, grants: phase.grants, done: phase.done }).toEqual({
    messages: [12],
    grants: [5],
    done: 7,
  });
  expect(phaseOf({ ...facts, from: at(33) }, [ann, bob], null).messages).toEqual([]);
  const cut = { fromUs: 31, untilUs: 33 };
  expect(phaseOf(facts, [ann, bob], cut)).toMatchObject({ messages: [], grants: [5] });
  const refusals = life("cy", [deed("take over", 1, 2, { refused: "turn_mismatch" })]);
  expect(phaseOf(facts, [refusals], null).refused).toEqual(new Map([["take over: turn_mismatch", 1]]));
});
