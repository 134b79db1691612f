/** How a turn ended, as the log tells and as its holder reads it. */
import { describe, expect, test } from "vitest";
import type { RoomEvent } from "../../../src/core/event.ts";
import { asAgentId, asEventId } from "../../../src/core/ids.ts";
import { isToBeSaid, settledLoss, shownLoss } from "../../../src/hooks/rules/told-loss.ts";
import { isLoss, losersBy, policyChangesBefore, type TurnEnd, turnEndBy } from "../../../src/stick/rules/turn-end.ts";
import { turnEndText } from "../../../src/stick/rules/turn-end-text.ts";

const ANN = asAgentId("human:ann");
const BOB = asAgentId("codex:bob");

function event(type: RoomEvent["type"], payload: object, more: Partial<RoomEvent> = {}): RoomEvent {
  const columns = { seq: 9, eventId: asEventId("e9"), turnId: 5, fromAgentId: ANN, toAgentId: BOB, reason: "why" };
  return { ...columns, createdAt: "2026-01-02T03:04:05.678Z", type, payload, ...more } as RoomEvent;
}

const TAKEOVER = event("takeover", { revokedAgentId: BOB, ground: "owner_timeout", gitHead: null }, { turnId: 6 });
const KICK = event("kick", { force: true, targetWasOwner: true, targetWasReservedFor: false, reservedFor: null });
const CLOSE = event("close", { revokedAgentId: BOB }, { toAgentId: null });

describe("the event that ended a turn", () => {
  test.each([
    ["takeover", TAKEOVER],
    ["kick", KICK],
    ["close", CLOSE],
  ])("%s: given Bob's turn 5, it is Bob's loss by Ann", (how, ending) => {
    const end = turnEndBy(ending);
    expect(end).toMatchObject({ how, turnId: 5, by: ANN, reason: "why", eventSeq: 9 });
    expect(end && isLoss(end, [BOB])).toBe(true);
    expect(losersBy([ending])).toEqual([BOB]);
  });

  test.each([
    ["release", event("release", { reservedFor: null }, { fromAgentId: BOB })],
    ["pass", event("pass", { operatorRequested: false }, { fromAgentId: BOB, toAgentId: ANN })],
    ["member_left", event("member_left", { reason: "left", wasOwner: true }, { fromAgentId: BOB })],
  ])("%s: given Bob's own act, it is nobody's loss", (how, ending) => {
    const end = turnEndBy(ending);
    expect(end).toMatchObject({ how, turnId: 5, by: BOB });
    expect(end && isLoss(end, [BOB])).toBe(false);
    expect(losersBy([ending])).toEqual([]);
  });

  test("given a holder that closes the room itself, it loses nothing", () => {
    const own = event("close", { revokedAgentId: BOB }, { fromAgentId: BOB });
    expect(losersBy([own])).toEqual([]);
    const end = turnEndBy(own);
    expect(end && isLoss(end, [BOB])).toBe(false);
  });

  test("given a member without the stick, a kick ends no turn", () => {
    const kicked = event("kick", { ...KICK.payload, targetWasOwner: false });
    expect(turnEndBy(kicked)).toMatchObject({ how: "kick", turnId: null });
    expect(losersBy([kicked])).toEqual([BOB]);
  });
});

function changed(changes: object, turnId = 5): RoomEvent {
  return event("policy_changed", { changes }, { turnId, seq: 8 });
}

describe("a change of the policy", () => {
  const end = turnEndBy(TAKEOVER) as TurnEnd;

  test("in the lost turn, of what a silent holder lives by, is named", () => {
    const events = [changed({ leaseTtlMs: 5000 }), changed({ goneGraceMs: 1000 }), changed({ hookMaxChars: 1 })];
    expect(policyChangesBefore(end, events)).toMatchObject([
      { by: ANN, changes: { leaseTtlMs: 5000 } },
      { by: ANN, changes: { goneGraceMs: 1000 } },
    ]);
  });

  test("before that turn is not", () => {
    expect(policyChangesBefore(end, [changed({ leaseTtlMs: 5000 }, 4)])).toEqual([]);
  });

  test("is no cause where a person took the stick anyway", () => {
    const requested = { ...end, ground: "operator_requested" as const };
    expect(policyChangesBefore(requested, [changed({ leaseTtlMs: 5000 })])).toEqual([]);
  });
});

describe("the words", () => {
  const end = turnEndBy(TAKEOVER) as TurnEnd;

  test("say who, when, on what ground and why", () => {
    expect(turnEndText(end)).toBe(
      "human:ann, a person, took the stick from you on 2026-01-02 03:04:05 UTC because your lease had expired. " +
        'That ended your turn 5. Reason: "why".',
    );
  });

  test.each([null, "", " \n"])("do without a reason: %j", (reason) => {
    expect(turnEndText({ ...end, reason })).toContain("No reason was given.");
  });

  test("stay short and on one line, however long names and reasons are", () => {
    const long = { ...end, by: asAgentId(`x[${"y".repeat(200)}`), reason: "a\n".repeat(1000) };
    expect(turnEndText(long).length).toBeLessThan(600);
    expect(turnEndText(long)).not.toMatch(/[\n[]/);
  });
});

describe("what was told of a loss", () => {
  const end = turnEndBy(TAKEOVER) as TurnEnd;
  const shown = shownLoss(end, undefined, "t1");

  test("given that a hook showed it, when the model goes on in that turn, then it is told", () => {
    const told = settledLoss(shown, { event: "went_on", turn: "t1" });
    expect(told.state).toBe("told");
    expect(isToBeSaid(end, told, { atEnd: false })).toBe(false);
  });

  test.each([
    { event: "prompted", turn: "t2" },
    { event: "broke_off", turn: "t1" },
    { event: "went_on", turn: "t2" },
    { event: "went_on", turn: "t1", quotes: "a conversation without it" },
  ] as const)(
    "given that a hook showed it, when %j, then it is to be said again, but not at the end of a turn",
    (sign) => {
      const told = settledLoss(shown, sign);
      expect(told.state).toBe("returned");
      expect(isToBeSaid(end, told, { atEnd: false })).toBe(true);
      expect(isToBeSaid(end, told, { atEnd: true })).toBe(false);
    },
  );

  test("given that a hook showed it, when nothing is told of the turn, then it stays shown", () => {
    for (const sign of [{ event: "no_sign", turn: "t1" } as const, { event: "prompted", turn: "t1" } as const]) {
      expect(settledLoss(shown, sign)).toBe(shown);
    }
    expect(isToBeSaid(end, shown, { atEnd: false })).toBe(false);
  });

  test("given an earlier loss that was told, a later one is to be said, and an older one is not", () => {
    const told = settledLoss(shown, { event: "went_on", turn: "t1" });
    expect(isToBeSaid({ ...end, eventSeq: 10 }, told, { atEnd: true })).toBe(true);
    expect(isToBeSaid({ ...end, eventSeq: 8 }, told, { atEnd: false })).toBe(false);
  });
});
