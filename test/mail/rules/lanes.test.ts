import { describe, expect, it } from "vitest";
import { MailRoom } from "../../support/mail-room.ts";

function room(): MailRoom {
  const world = new MailRoom({ sendRatePerMin: 0 });
  for (const agent of ["ann", "bob", "cy"]) world.join(agent);
  return world;
}

function asked() {
  const world = room();
  world.post("bob", "ann", "older talk");
  const request = world.post("ann", "bob", "which port?", { askForMs: 60_000 });
  world.take("bob");
  world.post("bob", "ann", "8080", { replyTo: request });
  return { world, request };
}

describe("a lane", () => {
  it("is first in, first out, and lanes interleave by commit", () => {
    const world = room();
    for (const [from, body] of ["ann 1", "cy 2", "cy 3", "ann 4"].map((text) => text.split(" "))) {
      world.post(from as string, "bob", body as string);
    }
    expect(world.take("bob")).toEqual(["1", "2", "3", "4"]);
  });

  it("waits behind what is in flight or backing off, and no other lane does", () => {
    const world = room();
    const first = world.post("ann", "bob", "a1");
    world.post("ann", "bob", "a2");
    world.post("cy", "bob", "c1");
    expect(world.take("bob", { limit: 1 })).toEqual(["a1"]);
    expect(world.take("bob")).toEqual(["c1"]);
    world.nack("bob", first, 1);
    expect(world.take("bob")).toEqual([]);
    expect(world.advance(5000).take("bob")).toEqual(["a1", "a2"]);
  });

  it("gives one message at a time to a reader that answers for each by itself", () => {
    const world = room();
    for (const body of ["a1", "a2"]) world.post("ann", "bob", body);
    world.post("cy", "bob", "c1");
    expect(world.take("bob", { onePerSender: true })).toEqual(["a1", "c1"]);
  });
});

describe("an interrupt", () => {
  it("comes first and brings everything older of its sender along", () => {
    const world = room();
    world.post("cy", "bob", "c1");
    world.post("ann", "bob", "a1");
    world.post("ann", "bob", "a2!", { deliveryHint: "interrupt" });
    world.post("ann", "bob", "a3");
    expect(world.take("bob")).toEqual(["a1", "a2!", "c1", "a3"]);
  });

  it("brings its lane forward even when only one of each sender may go", () => {
    const world = room();
    world.post("cy", "bob", "c1");
    world.post("ann", "bob", "a1");
    world.post("ann", "bob", "a2!", { deliveryHint: "interrupt" });
    expect(world.take("bob", { limit: 1, onePerSender: true })).toEqual(["a1"]);
  });

  it("whose time is over brings nothing forward", () => {
    const world = room();
    world.post("ann", "bob", "a1!", { deliveryHint: "interrupt" });
    world.advance(world.room.policy.messageTtlMs - 1);
    world.post("cy", "bob", "c1");
    world.post("ann", "bob", "a2");
    expect(world.advance(1).take("bob")).toEqual(["c1", "a2"]);
  });
});

describe("a budget", () => {
  it("is filled with whole messages only; the rest stays pending", () => {
    const world = room();
    for (const body of ["1234", "5678", "9"]) world.post("ann", "bob", body);
    expect(world.take("bob", { maxBytes: 7 })).toEqual(["1234"]);
    expect(world.counts("bob")).toMatchObject({ pending: 2, in_flight: 1 });
  });

  it("counts bytes, not characters", () => {
    const world = room();
    for (const body of ["üüü", "x"]) world.post("ann", "bob", body);
    expect(world.take("bob", { maxBytes: 6 })).toEqual(["üüü"]);
  });

  it("that is smaller than the first message gives that one alone", () => {
    const world = room();
    for (const body of ["a long one", "x"]) world.post("ann", "bob", body);
    expect(world.take("bob", { maxBytes: 3 })).toEqual(["a long one"]);
  });
});

describe("a reply", () => {
  it("that an ask waits for is taken by nobody but the ask, out of its order", () => {
    const { world, request } = asked();
    expect(world.take("ann")).toEqual(["older talk"]);
    expect(world.takeReply("ann", request)).toBe("8080");
    expect(world.takeReply("ann", request)).toBeNull();
  });

  it("comes by the ordinary doors when the ask has ended, or its time is over, or its process is gone", () => {
    const ended = asked();
    ended.world.endAsk("ann", ended.request);
    expect(ended.world.take("ann")).toEqual(["older talk", "8080"]);
    const late = asked();
    expect(late.world.advance(60_000).take("ann")).toEqual(["older talk", "8080"]);
    const dead = asked();
    expect(dead.world.kill("ann-ask").take("ann")).toEqual(["older talk", "8080"]);
  });

  it("by another agent, or to something else, answers nothing", () => {
    const world = room();
    const request = world.post("ann", "bob", "which port?", { askForMs: 60_000 });
    world.post("bob", "ann", "by the way");
    expect(world.takeReply("ann", request)).toBeNull();
    expect(world.take("ann")).toEqual(["by the way"]);
  });
});
