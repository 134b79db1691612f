import { describe, expect, it } from "vitest";
import type { Sent } from "../../../src/core/mail-records.ts";
import { MailRoom } from "../../support/mail-room.ts";
import { codeOf } from "../../support/room-world.ts";

function room(policy: ConstructorParameters<typeof MailRoom>[0] = {}): MailRoom {
  const world = new MailRoom(policy);
  for (const agent of ["ann", "bob", "cy"]) world.join(agent);
  return world;
}

const seen = (answer: unknown) => (answer as Sent).deliveries[0]?.willBeSeen;

describe("a body", () => {
  it("that is empty is refused", () => {
    expect(codeOf(room().send("ann", "bob", ""))).toBe("invalid_body");
  });

  it("that is too large is refused with what was supplied and what is allowed, and never cut", () => {
    const world = room({ messageMaxBytes: 256 });
    expect(codeOf(world.send("ann", "bob", "ü".repeat(128)))).toBe("accepted");
    expect(world.send("ann", "bob", `${"ü".repeat(128)}x`)).toMatchObject({
      error: "message_too_large",
      facts: { supplied: 257, limit: 256 },
    });
    expect(world.counts("bob").pending).toBe(1);
  });
});

it("a message to its own sender is refused, also by the sender's former name", () => {
  const world = room();
  expect(codeOf(world.send("ann", "ann", "hm"))).toBe("self_send");
  world.remember("ann", "ann-before");
  expect(codeOf(world.send("ann", "ann-before", "hm"))).toBe("self_send");
});

it("a message by a person says so, and no other can", () => {
  const world = room();
  world.send("dora", "bob", "hello", { person: true });
  world.send("ann", "bob", "I am a person, honestly");
  expect(world.events.flatMap((event) => (event.type === "message_sent" ? [event.payload.origin] : []))).toEqual([
    "human",
    "peer",
  ]);
});

describe("a rate", () => {
  it("allows twice a minute's worth at once, then one at a time, and says how long to wait", () => {
    const world = room({ sendRatePerMin: 2 });
    for (let index = 0; index < 4; index += 1) world.post("ann", "bob", "quick");
    expect(world.send("ann", "bob", "too quick")).toMatchObject({
      error: "rate_limited",
      facts: { retry_after_ms: 30_000, limit_per_min: 2 },
    });
    expect(codeOf(world.advance(29_999).send("ann", "bob", "still"))).toBe("rate_limited");
    expect(codeOf(world.advance(1).send("ann", "bob", "now"))).toBe("accepted");
    expect(codeOf(world.send("cy", "bob", "another author"))).toBe("accepted");
  });

  it("does not hold people back, nor programs that use the library", () => {
    const world = room({ sendRatePerMin: 1 });
    for (let index = 0; index < 5; index += 1) {
      world.post("dora", "bob", "by hand", { person: true });
      world.post("library:job", "bob", "by program");
    }
  });
});

describe("forwarding", () => {
  it("counts hops and ends when there were too many", () => {
    const world = room({ hopsMax: 2 });
    let id = world.post("ann", "bob", "pass it on");
    id = world.post("bob", "cy", "pass it on", { source: id });
    id = world.post("cy", "ann", "pass it on", { source: id });
    expect(world.send("ann", "bob", "pass it on", { source: id })).toMatchObject({
      error: "hops_exhausted",
      facts: { hops: 3, limit: 2 },
    });
    expect(codeOf(world.send("ann", "bob", "x", { source: "nothing" }))).toBe("message_not_found");
  });

  it("is not what a reply does", () => {
    const world = room({ hopsMax: 0 });
    const id = world.post("ann", "bob", "ping");
    expect(codeOf(world.send("bob", "ann", "pong", { replyTo: id }))).toBe("accepted");
  });
});

it("a reply to a message that was sent to another agent is refused", () => {
  const world = room();
  const id = world.post("ann", "bob", "for bob");
  expect(codeOf(world.send("cy", "ann", "I heard", { replyTo: id }))).toBe("not_your_message");
  expect(codeOf(world.send("bob", "ann", "yes", { replyTo: id }))).toBe("accepted");
});

describe("an id of the sender's own", () => {
  const msgId = { id: "m1", digest: "one" };

  it("makes the same message again the same answer, and writes nothing", () => {
    const world = room();
    const first = world.send("ann", "bob", "once", { msgId });
    expect(world.send("ann", "bob", "once", { msgId })).toEqual(first);
    expect(world.counts("bob").pending).toBe(1);
  });

  it("refuses other content, and is nobody else's", () => {
    const world = room();
    world.post("ann", "bob", "once", { msgId });
    expect(codeOf(world.send("ann", "bob", "twice", { msgId: { id: "m1", digest: "two" } }))).toBe("msg_id_conflict");
    expect(codeOf(world.send("cy", "bob", "mine", { msgId: { id: "m1", digest: "two" } }))).toBe("accepted");
  });
});

describe("asking in a circle", () => {
  const ask = { askForMs: 60_000 };

  it("of two is refused with the path", () => {
    const world = room();
    world.post("ann", "bob", "?", ask);
    expect(world.send("bob", "ann", "?", ask)).toMatchObject({
      error: "would_deadlock",
      facts: { path: ["bob", "ann", "bob"] },
    });
    expect(codeOf(world.send("bob", "ann", "a plain message is no ask"))).toBe("accepted");
  });

  it("of three is refused with the path", () => {
    const world = room();
    world.post("ann", "bob", "?", ask);
    world.post("bob", "cy", "?", ask);
    expect(world.send("cy", "ann", "?", ask)).toMatchObject({
      error: "would_deadlock",
      facts: { path: ["cy", "ann", "bob", "cy"] },
    });
  });

  it("is none when one of the asks is over or its process is gone", () => {
    const world = room();
    world.post("ann", "bob", "?", { askForMs: 1000 });
    expect(codeOf(world.advance(1000).send("bob", "ann", "?", ask))).toBe("accepted");
    const dead = room();
    dead.post("ann", "bob", "?", ask);
    expect(codeOf(dead.kill("ann-ask").send("bob", "ann", "?", ask))).toBe("accepted");
  });
});

describe("when a message will be seen", () => {
  it("is unknown when all that is known is that its reader was here a moment ago", () => {
    expect(seen(room().send("ann", "bob", "hello"))).toBe("unknown");
  });

  it("is now while its reader receives or waits, as long as that process is known to live", () => {
    const world = room();
    world.receive("bob");
    expect(seen(world.send("ann", "bob", "hello"))).toBe("unknown");
    expect(seen(world.see("bob-receiver").send("ann", "bob", "hello"))).toBe("now");
    expect(seen(world.kill("bob-receiver").send("ann", "bob", "hello"))).toBe("unknown");
    world.wait("ann");
    world.wait("cy");
    expect(seen(world.see("cy-call").send("ann", "cy", "hello"))).toBe("now");
  });

  it("is when it returns, once its process is gone for longer than the grace", () => {
    const world = room();
    world.advance(world.room.policy.goneGraceMs).kill("bob");
    world.join("ann");
    expect(seen(world.send("ann", "bob", "hello"))).toBe("when_it_returns");
  });
});
