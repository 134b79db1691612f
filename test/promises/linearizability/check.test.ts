/** The checker's own tests: histories made by hand, each with one thing that cannot be. */
import { describe, expect, it } from "vitest";
import { check } from "./check.ts";
import type { Finding } from "./finding.ts";
import {
  expired,
  handoff,
  held,
  LOOK,
  passed,
  release,
  released,
  STATE,
  type Story,
  sees,
  taken,
  yourTurn,
} from "./story.ts";

function rulesBrokenIn(story: Story): Finding["rule"][] {
  return [...new Set(check(story.history()).map(({ rule }) => rule))];
}

const mismatch = (turnId: number, owner: string | null, room_state = "owned") =>
  ({
    is: "refused",
    code: "turn_mismatch",
    facts: { current_turn_id: turnId, current_owner: owner, room_state },
  }) as const;

describe("a history without a fault", () => {
  it("is explained", () => {
    expect(check(held().history())).toEqual([]);
    expect(check(released().history())).toEqual([]);
  });

  it("may show the old or the new state while a change is under way", () => {
    expect(rulesBrokenIn(released().does("b", 42, 48, STATE, sees({ turnId: 1, owner: "a", state: "owned" })))).toEqual(
      [],
    );
    expect(rulesBrokenIn(released().does("b", 42, 48, STATE, sees({ turnId: 1, handoff: "a#1" })))).toEqual([]);
  });

  it("may leave open whether an unanswered operation happened", () => {
    const undone = held().does("a", 40, 0, release(1, "a#1"), null);
    expect(rulesBrokenIn(undone)).toEqual([]);
    const done = held()
      .logs("release", "a", { turnId: 1, handoff: handoff("a#1"), payload: { reservedFor: null } })
      .does("a", 40, 0, release(1, "a#1"), null)
      .endsWith({ owner: null });
    expect(rulesBrokenIn(done)).toEqual([]);
  });
});

describe("the model", () => {
  it("notices two holders", () => {
    const story = held()
      .logs("claim", "b", { turnId: 2, payload: { reason: "open_claim" } })
      .does("b", 40, 50, LOOK, yourTurn(2))
      .endsWith({ turnId: 2, owner: "b" });
    expect(rulesBrokenIn(story)).toEqual(["model"]);
  });

  it("notices a turn that is given twice", () => {
    const story = released()
      .logs("claim", "b", { turnId: 1, payload: { reason: "open_claim" } })
      .does("b", 60, 70, LOOK, { ...yourTurn(1, "a#1", "a"), leaseId: "other" })
      .endsWith({ owner: "b" });
    expect(rulesBrokenIn(story)).toContain("model");
  });

  it("notices a release by an agent that does not hold the stick", () => {
    const story = held()
      .logs("release", "b", { turnId: 1, handoff: handoff("b#1"), payload: { reservedFor: null } })
      .does("b", 40, 50, release(1, "b#1"), { is: "released", seq: 4, reservedFor: null })
      .endsWith({ owner: null });
    expect(rulesBrokenIn(story)).toEqual(["model"]);
  });

  it("notices a claim against a reservation", () => {
    const story = passed()
      .logs("claim", "a", { turnId: 2, payload: { reason: "open_claim" } })
      .does("a", 60, 70, LOOK, yourTurn(2, "a#1", "a"))
      .endsWith({ turnId: 2, owner: "a", reservedFor: null });
    expect(rulesBrokenIn(story)).toEqual(["model"]);
  });
});

describe("answers", () => {
  it("must name the event that they caused", () => {
    const story = held()
      .logs("release", "a", { turnId: 1, handoff: handoff("a#1"), payload: { reservedFor: null } })
      .does("a", 40, 50, release(1, "a#1"), { is: "released", seq: 9, reservedFor: null })
      .endsWith({ owner: null });
    expect(rulesBrokenIn(story)).toEqual(["answer"]);
  });

  it("must carry the handoff of the last release", () => {
    const story = released()
      .logs("claim", "b", { turnId: 2, payload: { reason: "open_claim" } })
      .does("b", 60, 70, LOOK, yourTurn(2, "a#0", "a"))
      .endsWith({ turnId: 2, owner: "b" });
    expect(rulesBrokenIn(story)).toEqual(["answer"]);
  });

  it("must not accept a lease of another turn", () => {
    const story = held()
      .logs("release", "a", { turnId: 1, handoff: handoff("a#1"), payload: { reservedFor: null } })
      .does(
        "a",
        40,
        50,
        { ...release(1, "a#1"), leaseId: "forged" },
        {
          is: "released",
          seq: 4,
          reservedFor: null,
        },
      )
      .endsWith({ owner: null });
    expect(rulesBrokenIn(story)).toEqual(["answer"]);
  });

  it("must not give one lease to two turns", () => {
    const story = released()
      .logs("claim", "b", { turnId: 2, payload: { reason: "open_claim" } })
      .does("b", 60, 70, LOOK, { ...yourTurn(2, "a#1", "a"), leaseId: "lease1" })
      .endsWith({ turnId: 2, owner: "b" });
    expect(rulesBrokenIn(story)).toEqual(["secret"]);
  });
});

describe("outcomes", () => {
  it("must be in the log when they were answered", () => {
    expect(
      rulesBrokenIn(held().does("a", 40, 50, release(1, "a#1"), { is: "released", seq: 4, reservedFor: null })),
    ).toContain("outcome");
  });

  it("must not be in the log when they were refused", () => {
    const story = held()
      .logs("release", "a", { turnId: 1, handoff: handoff("a#1"), payload: { reservedFor: null } })
      .does("a", 40, 50, release(1, "a#1"), mismatch(1, "a"))
      .endsWith({ owner: null });
    expect(rulesBrokenIn(story)).toContain("outcome");
  });

  it("must have been asked for", () => {
    const story = held().logs("note_added", "b", { turnId: 1, payload: { preview: "b#1", turnId: null } });
    expect(rulesBrokenIn(story)).toEqual(["outcome"]);
  });

  it("happen at most once, also when nobody was told", () => {
    const note = { turnId: 1, payload: { preview: "b#1", turnId: null } };
    const story = held()
      .logs("note_added", "b", note)
      .logs("note_added", "b", note)
      .does("b", 40, 0, { kind: "note", tag: "b#1", turnId: null }, null);
    expect(rulesBrokenIn(story)).toEqual(["outcome"]);
  });
});

describe("real time", () => {
  it("notices an effect that comes before what was answered earlier", () => {
    const story = held()
      .logs("note_added", "b", { turnId: 1, payload: { preview: "b#1", turnId: null } })
      .logs("note_added", "a", { turnId: 1, payload: { preview: "a#1", turnId: null } })
      .does("a", 40, 50, { kind: "note", tag: "a#1", turnId: null }, { is: "noted", tag: "a#1", turnId: null })
      .does("b", 60, 70, { kind: "note", tag: "b#1", turnId: null }, { is: "noted", tag: "b#1", turnId: null });
    expect(rulesBrokenIn(story)).toEqual(["order"]);
  });

  it("notices a look that does not see what was answered before it", () => {
    const story = released().does("b", 60, 70, STATE, sees({ turnId: 1, owner: "a", state: "owned" }));
    expect(rulesBrokenIn(story)).toEqual(["sight"]);
  });

  it("notices a look that sees what nobody had asked for yet", () => {
    const story = released().does("b", 32, 38, STATE, sees({ turnId: 1, handoff: "a#1" }));
    expect(rulesBrokenIn(story)).toEqual(["sight"]);
  });

  it("notices that a look sees less than another one before it", () => {
    const story = released()
      .does("b", 41, 43, STATE, sees({ turnId: 1, handoff: "a#1" }))
      .does("b", 44, 46, STATE, sees({ turnId: 1, owner: "a", state: "owned" }));
    expect(rulesBrokenIn(story)).toEqual(["sight"]);
  });

  it("notices a look that mixes two states", () => {
    const story = released().does("b", 42, 48, STATE, sees({ turnId: 1, owner: "a", state: "owned", handoff: "a#1" }));
    expect(rulesBrokenIn(story)).toEqual(["sight"]);
  });

  it("notices a refusal that was true at no moment of the call", () => {
    expect(rulesBrokenIn(held().does("b", 60, 70, release(0, "b#1"), mismatch(2, "a")))).toEqual(["sight"]);
    expect(rulesBrokenIn(held().does("b", 60, 70, release(1, "b#1"), mismatch(1, "a")))).toEqual(["sight"]);
    expect(rulesBrokenIn(held().does("b", 60, 70, release(0, "b#1"), mismatch(1, "a")))).toEqual([]);
  });

  it("notices that an agent has to wait for a free stick", () => {
    const answer = { is: "not_yet", turnId: 1, owner: null, reservedFor: null, state: "idle" } as const;
    expect(rulesBrokenIn(released().does("b", 60, 70, LOOK, answer))).toEqual(["sight"]);
    expect(rulesBrokenIn(released().does("a", 60, 70, LOOK, answer))).toEqual([]);
  });

  it("notices a log that was read with a gap", () => {
    const request = { kind: "events", after: 0, limit: 10 } as const;
    const all = [1, 2, 3].map((seq) => [seq, `event${seq}`] as const);
    const seen = (events: typeof all) => ({ is: "events", cursor: 3, events }) as const;
    expect(rulesBrokenIn(held().does("b", 60, 70, request, seen(all)))).toEqual([]);
    expect(rulesBrokenIn(held().does("b", 60, 70, request, seen(all.filter(([seq]) => seq !== 2))))).toEqual(["sight"]);
  });
});

describe("time that has to pass", () => {
  it("lets nobody take over before the lease has expired", () => {
    expect(rulesBrokenIn(taken("owner_timeout", 400, 410))).toEqual(["time"]);
    expect(rulesBrokenIn(taken("owner_timeout", 1040, 1050))).toEqual([]);
  });

  it("lets nobody take over from an owner that has just renewed", () => {
    const renewal = { kind: "heartbeat", turnId: 1, leaseId: "lease1" } as const;
    const story = taken("owner_timeout", 1040, 1050).does("a", 600, 610, renewal, { is: "renewed", turnId: 1 });
    expect(rulesBrokenIn(story)).toEqual(["time"]);
  });

  it("lets nobody be declared gone whose process lives", () => {
    expect(rulesBrokenIn(taken("owner_gone", 400, 410))).toEqual(["time"]);
    expect(rulesBrokenIn(taken("owner_gone", 400, 410).dies("a", 300))).toEqual([]);
  });

  it("lets no reservation expire early", () => {
    expect(rulesBrokenIn(expired(100))).toEqual(["time"]);
    expect(rulesBrokenIn(expired(190))).toEqual([]);
  });
});
