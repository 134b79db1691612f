/** The account of the run at scale is only worth something if it notices what it looks for. */
import { expect, test } from "vitest";
import { accountOf } from "../../bench/scale/account.ts";
import { phaseOf, type Reading } from "../../bench/scale/phase.ts";
import type { Deed, Life, RoomLog } from "../../bench/scale/records.ts";

const ROOM = "room-1";

function deed(call: Deed["call"], begunUs: number, endedUs: number, facts: Partial<Deed> = {}): Deed {
  return { call, begunUs, endedUs, ...facts };
}

function life(agentId: string, deeds: readonly Deed[], endedUs: number | null = null): Life {
  return { agentId, roomId: ROOM, deeds, endedUs };
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
  messages: new Map([["m1", "bob"]]),
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
  expect(accountOf([ann, without(bob, "receive")], [log]).lost).toEqual(["bob never saw the message m1"]);
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
  const { lost, messages } = accountOf(
    [asker, answerer],
    [
      {
        ...log,
        messages: new Map([
          ["q", "bob"],
          ["a", "ann"],
        ]),
        grants: [],
        handoffs: new Map(),
      },
    ],
  );
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

test("one that is told of a turn twice in one life has it doubled", () => {
  const twice = life("ann", [...ann.deeds, deed("wait", 52, 55, { turnId: 1, handoff: null })]);
  expect(accountOf([twice, bob], [log]).doubled).toContain("ann got turn 1 while ann had turn 1");
});

test("a holder that ends by itself holds nothing any more", () => {
  const crashed = life("ann", [deed("wait", 0, 10, { turnId: 1, handoff: null })], 20);
  const heir = life("bob", [deed("take over", 35, 38, { turnId: 2, handoff: null })]);
  expect(accountOf([crashed, heir], [{ ...log, handoffs: new Map() }]).doubled).toEqual([]);
});

test("rooms have nothing to do with each other's turns", () => {
  const inOther = { ...without(ann, "send"), agentId: "cy", roomId: "room-2" };
  const other = { ...log, roomId: "room-2", grants: [{ turnId: 1, agentId: "cy" }], messages: new Map() };
  expect(accountOf([ann, bob, inOther], [log, other])).toMatchObject({ doubled: [], wrong: [], turns: 3 });
});

test("what was told and what the log says must fit, both ways", () => {
  const wrong = (lives: readonly Life[], of: Partial<RoomLog> = {}) => accountOf(lives, [{ ...log, ...of }]).wrong;
  const stale = life("bob", [
    deed("receive", 5, 32, { shown: ["m1"] }),
    deed("wait", 6, 45, { turnId: 2, handoff: null }),
  ]);
  expect(wrong([ann, stale])).toEqual([`bob got turn 2 with the handoff "null" instead of "ann is done"`]);
  expect(wrong([bob], { grants: [] })).toEqual(["bob got turn 2, which the log gives to nobody"]);
  const twice = [...log.grants, { turnId: 2, agentId: "ann" }];
  expect(wrong([ann, bob], { grants: twice })).toContain("bob got turn 2, which the log gives to bob, ann");
  expect(wrong([ann, bob], { messages: new Map() })).toEqual(["the log lacks m1, which ann sent to bob"]);
  expect(wrong([ann, without(bob, "wait")])).toEqual(["bob was never told of turn 2"]);
  expect(wrong([ann, { ...without(bob, "wait"), endedUs: 44 }])).toEqual([]);
  expect(wrong([ann, bob], { handoffs: new Map([[1, "ann is done"]]) })).toEqual([
    `the log lacks the handoff "bob is done" of bob, which ended turn 2`,
  ]);
});

/** Bob gets his message again after he has confirmed it. */
function confirms(facts: Partial<Deed>): Life {
  const confirm = deed("confirm", 33, 34, { confirmed: ["m1"], ...facts });
  return life("bob", [...bob.deeds, confirm, deed("receive", 35, 80, { shown: ["m1"] })]);
}

test("a message that comes after it was confirmed does not fit", () => {
  expect(accountOf([ann, confirms({})], [log]).wrong).toEqual(["bob got m1 again after it had confirmed it"]);
  expect(accountOf([ann, confirms({ fault: "store_unreachable" })], [log]).wrong).toEqual([]);
});

const facts = { pace: 1, from: at(0), until: at(1000), connections: [] };

test("a message is timed until it comes for the first time, and counted apart where it was awaited", () => {
  const again = life("bob", [deed("receive", 40, 90, { shown: ["m1"] })], 95);
  const phase = phaseOf(facts, [ann, again, bob], null);
  expect({ all: phase.messages, awaited: phase.messagesAwaited, done: phase.done }).toEqual({
    all: [12],
    awaited: [12],
    done: 7,
  });
  const busy = life("bob", [deed("receive", 25, 2000, { shown: ["m1"] })]);
  expect(phaseOf(facts, [ann, busy], null)).toMatchObject({ messages: [1980], messagesAwaited: [] });
  expect(phaseOf({ ...facts, from: at(25) }, [ann, bob], null).messages).toEqual([]);
});

test("a grant is timed from the first release to one that was waiting", () => {
  expect(phaseOf(facts, [ann, bob], null).grants).toEqual([5]);
  expect(phaseOf({ ...facts, from: at(46) }, [ann, bob], null).grants).toEqual([]);
  const late = life("bob", [deed("wait", 41, 45, { turnId: 2, handoff: "ann is done" })]);
  expect(phaseOf(facts, [ann, late], null).grants).toEqual([]);
  const tried = life("ann", [
    deed("release", 40, 44, { turnId: 1, fault: "store_unreachable" }),
    deed("release", 60, 70, { turnId: 1, refused: "stale_lease" }),
  ]);
  expect(phaseOf(facts, [tried, bob], null).grants).toEqual([5]);
});

test("what was under way during a cut is not timed, and refusals are counted by their code", () => {
  const cut = { fromUs: 31, untilUs: 33 };
  expect(phaseOf(facts, [ann, bob], cut)).toMatchObject({ messages: [], grants: [5] });
  const refused = life("cy", [deed("take over", 1, 2, { refused: "turn_mismatch" })]);
  const phase = phaseOf(facts, [refused], null);
  expect({ refused: phase.refused, done: phase.done }).toEqual({
    refused: new Map([["take over: turn_mismatch", 1]]),
    done: 0,
  });
});
