import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { maybeBreaksTurns, wasShownBefore } from "../../../src/mail/rules/delivery.ts";
import type { TurnEvent } from "../../../src/mail/rules/show.ts";
import { MailRoom } from "../../support/mail-room.ts";

const WEEK_MS = 7 * 24 * 3_600_000;

function room(): MailRoom {
  const world = new MailRoom({ sendRatePerMin: 0 });
  for (const agent of ["ann", "bob", "cy"]) world.join(agent);
  return world;
}

/** Bob was shown a message in turn t1. */
function shown() {
  const world = room();
  const id = world.post("ann", "bob", "hello");
  expect(world.hook("bob", "prompted", "t1")).toEqual(["hello"]);
  return { world, id };
}

describe("a message that a hook has shown", () => {
  it("is in flight, is not unread, and no door takes it", () => {
    const { world, id } = shown();
    expect(world.delivery(id)).toMatchObject({ state: "in_flight", attempts: [{ outcome: "shown" }] });
    expect(world.counts("bob")).toMatchObject({ pending: 0, in_flight: 1 });
    expect(world.unread("bob")).toBe(0);
    expect(world.take("bob")).toEqual([]);
  });

  it("holds back nothing of its sender", () => {
    const { world } = shown();
    world.post("ann", "bob", "next");
    expect(world.take("bob")).toEqual(["next"]);
  });

  it("is acknowledged when the model goes on in the same turn", () => {
    const { world, id } = shown();
    expect(world.hook("bob", "went_on", "t1")).toEqual([]);
    expect(world.delivery(id)).toMatchObject({ state: "acked", attempts: [{ outcome: "acked" }] });
    expect(world.hook("bob", "prompted", "t2")).toEqual([]);
  });

  it.each([
    ["the turn breaks off", "broke_off", "t1"],
    ["the session begins or ends", "broke_off", null],
    ["another turn begins", "prompted", "t2"],
    ["a turn without a name begins", "prompted", null],
    ["the model goes on in another turn", "went_on", "t2"],
  ] as const)("comes again when %s", (_, event: TurnEvent, turn) => {
    const { world, id } = shown();
    expect(world.hook("bob", event, turn)).toEqual(["hello"]);
    expect(world.delivery(id)).toMatchObject({
      state: "in_flight",
      attempts: [
        { n: 1, outcome: "given_back" },
        { n: 2, outcome: "shown" },
      ],
    });
    expect(wasShownBefore(world.delivery(id))).toBe(true);
  });

  it.each([
    ["text is typed into the turn", "prompted", "t1"],
    ["an event tells nothing", "no_sign", "t1"],
    ["an event of another turn tells nothing", "no_sign", null],
  ] as const)("stays shown when %s", (_, event: TurnEvent, turn) => {
    const { world, id } = shown();
    expect(world.hook("bob", event, turn)).toEqual([]);
    expect(world.delivery(id)).toMatchObject({ state: "in_flight", attempts: [{ outcome: "shown" }] });
  });

  it("is not given back by any clock, and expires with its time to live", () => {
    const { world, id } = shown();
    expect(world.advance(WEEK_MS - 1).mailState(id)).toBe("in_flight");
    expect(world.unread("bob")).toBe(0);
    expect(world.advance(1).mailState(id)).toBe("expired");
    expect(world.hook("bob", "went_on", "t1")).toEqual([]);
    expect(world.counts("bob")).toMatchObject({ in_flight: 0, expired: 1 });
    expect(world.unread("bob")).toBe(0);
  });

  it("is still shown after a restart of the machine", () => {
    const { world, id } = shown();
    world.epoch = "boot-2";
    expect(world.advance(60_000).mailState(id)).toBe("in_flight");
    expect(world.hook("bob", "broke_off", null)).toEqual(["hello"]);
  });

  it("never becomes a dead letter, however often its turn breaks off", () => {
    const { world, id } = shown();
    for (let turn = 2; turn < 30; turn += 1) expect(world.hook("bob", "prompted", `t${turn}`)).toEqual(["hello"]);
    expect(world.mailState(id)).toBe("in_flight");
  });

  it("is suspected of breaking turns after three that broke off", () => {
    const { world, id } = shown();
    const suspected = [2, 3, 4].map((turn) => {
      world.hook("bob", "prompted", `t${turn}`);
      return maybeBreaksTurns(world.delivery(id));
    });
    expect(suspected).toEqual([false, false, true]);
  });

  it("that interrupts leaves an older interrupt of its sender urgent when it is acknowledged", () => {
    const world = room();
    world.post("cy", "bob", "c1");
    world.post("ann", "bob", "a1!", { deliveryHint: "interrupt" });
    expect(world.hook("bob", "prompted", "t1")).toEqual(["a1!", "c1"]);
    world.post("ann", "bob", "a2!", { deliveryHint: "interrupt" });
    expect(world.hook("bob", "no_sign", "t2")).toEqual(["a2!"]);
    expect(world.hook("bob", "went_on", "t2")).toEqual(["a1!", "c1"]);
  });

  it("that was only taken by a hook that died comes again when its time in flight is over", () => {
    const world = room();
    const id = world.post("ann", "bob", "hello");
    expect(world.hook("bob", "prompted", "t1", { dies: true })).toEqual(["hello"]);
    expect(world.hook("bob", "went_on", "t1")).toEqual([]);
    expect(world.mailState(id)).toBe("in_flight");
    expect(world.advance(35_000).hook("bob", "went_on", "t1")).toEqual(["hello"]);
    expect(wasShownBefore(world.delivery(id))).toBe(false);
  });
});

describe("whatever hooks tell", () => {
  const event = fc.constantFrom<TurnEvent>("went_on", "prompted", "broke_off", "no_sign");
  const step = fc.oneof(
    fc.constant("send" as const),
    fc.record({ event, turn: fc.constantFrom("t1", "t2", null), dies: fc.boolean() }),
  );

  it("every message is unread, shown or acknowledged, and only a model that went on acknowledges", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const world = room();
        const ids: string[] = [];
        for (const one of steps) {
          if (one === "send") ids.push(world.post("ann", "bob", `m${ids.length}`));
          else {
            const before = ids.filter((id) => world.mailState(id) === "acked").length;
            world.hook("bob", one.event, one.turn, one);
            const after = ids.filter((id) => world.mailState(id) === "acked").length;
            if (one.event !== "went_on") expect(after).toBe(before);
          }
          const states = ids.map((id) => world.delivery(id));
          const shownNow = states.filter(({ attempts }) => attempts.at(-1)?.outcome === "shown").length;
          const { pending, in_flight, acked, dead_letter, expired } = world.counts("bob");
          expect(pending + in_flight + acked + dead_letter + expired).toBe(ids.length);
          expect(world.unread("bob")).toBe(pending + in_flight - shownNow);
        }
      }),
    );
  });
});
