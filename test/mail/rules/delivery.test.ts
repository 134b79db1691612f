import { describe, expect, it } from "vitest";
import { MailRoom } from "../../support/mail-room.ts";
import { codeOf } from "../../support/room-world.ts";

const SECOND_MS = 1000;
const WEEK_MS = 7 * 24 * 60 * 60 * SECOND_MS;

function room(policy: ConstructorParameters<typeof MailRoom>[0] = {}): MailRoom {
  const world = new MailRoom(policy);
  for (const agent of ["ann", "bob", "cy"]) world.join(agent);
  return world;
}

function deadLetter() {
  const world = room({ maxRetries: 0 });
  const id = world.post("ann", "bob", "hello");
  world.take("bob");
  world.nack("bob", id, 1);
  return { world, id };
}

describe("an attempt", () => {
  it("counts from one and ends with its ack", () => {
    const world = room();
    const id = world.post("ann", "bob", "hello");
    expect(world.take("bob")).toEqual(["hello"]);
    expect(world.ack("bob", id, 1)).toEqual({ messageId: id, attempt: 1, state: "acked", repeated: false });
    expect(world.delivery(id).attempts).toMatchObject([{ n: 1, transport: "test", outcome: "acked" }]);
  });

  it("that nobody answers for ends after the time in flight, and backing off begins then, not when a process looks", () => {
    const world = room();
    const id = world.post("ann", "bob", "hello");
    world.take("bob");
    expect(world.advance(29_999).mailState(id)).toBe("in_flight");
    world.advance(1);
    expect(world.delivery(id)).toMatchObject({ state: "pending", attempts: [{ outcome: "timed_out" }] });
    expect(world.advance(4999).take("bob")).toEqual([]);
    expect(world.advance(1).take("bob")).toEqual(["hello"]);
  });

  it("that was the last failed when its time was up, and everybody who looks finds the same time", () => {
    const world = room({ maxRetries: 0 });
    const id = world.post("ann", "bob", "hello");
    const sentAt = world.wallMs;
    world.take("bob");
    world.advance(40_000);
    const failedAt = new Date(sentAt + 30_000).toISOString();
    expect(world.delivery(id)).toMatchObject({ state: "dead_letter", endedAt: failedAt });
    // Two clocks are never read at the same moment, and one of them begins again with the machine.
    world.wallMs += 7;
    expect(world.delivery(id).endedAt).toBe(failedAt);
    world.epoch = "boot-2";
    world.advance(5000);
    expect(world.delivery(id).endedAt).toBe(failedAt);
  });

  it("can be prolonged by a slow reader", () => {
    const world = room();
    const id = world.post("ann", "bob", "hello");
    world.take("bob");
    world.advance(20_000);
    expect(world.extend("bob", id)).toMatchObject({ state: "in_flight", repeated: false });
    expect(world.advance(29_999).mailState(id)).toBe("in_flight");
    expect(world.ack("bob", id, 1)).toMatchObject({ state: "acked" });
  });

  it("that was nacked comes again after 5, 10 and 20 seconds, and the fourth is the last", () => {
    const world = room();
    const id = world.post("ann", "bob", "hello");
    for (const [index, waitMs] of [5000, 10_000, 20_000].entries()) {
      expect(world.take("bob")).toEqual(["hello"]);
      world.nack("bob", id, index + 1);
      expect(world.advance(waitMs - 1).take("bob")).toEqual([]);
      world.advance(1);
    }
    world.take("bob");
    expect(world.nack("bob", id, 4, "never")).toMatchObject({ state: "dead_letter" });
    expect(world.delivery(id)).toMatchObject({ state: "dead_letter", reason: "never", attempts: { length: 4 } });
    expect(world.advance(WEEK_MS).take("bob")).toEqual([]);
    expect(world.mailState(id)).toBe("dead_letter");
  });

  it("whose reader stopped before it was shown goes back at once, and never ends the delivery", () => {
    const world = room({ maxRetries: 0 });
    const id = world.post("ann", "bob", "hello");
    for (let attempt = 1; attempt <= 8; attempt += 1) {
      expect(world.take("bob")).toEqual(["hello"]);
      expect(world.giveBack("bob", id, attempt)).toMatchObject({ attempt, state: "pending", repeated: false });
    }
    expect(world.delivery(id)).toMatchObject({ state: "pending", due: null, attempts: { length: 8 } });
    expect(world.delivery(id).attempts).toContainEqual({
      n: 1,
      transport: "test",
      at: expect.any(String),
      outcome: "given_back",
      reason: "its reader stopped before it was shown",
    });
    world.take("bob");
    expect(codeOf(world.ack("bob", id, 8))).toBe("attempt_stale");
    expect(world.nack("bob", id, 9)).toMatchObject({ state: "dead_letter" });
  });

  it("that was given back makes no later wait longer", () => {
    const world = room();
    const id = world.post("ann", "bob", "hello");
    world.take("bob");
    world.nack("bob", id, 1);
    world.advance(5000).take("bob");
    world.giveBack("bob", id, 2);
    world.take("bob");
    world.nack("bob", id, 3);
    expect(world.advance(9999).take("bob")).toEqual([]);
    expect(world.advance(1).take("bob")).toEqual(["hello"]);
  });

  it("keeps its number however often the message is given back, and the record stays short", () => {
    const world = room();
    const id = world.post("ann", "bob", "hello");
    world.take("bob");
    world.nack("bob", id, 1);
    world.advance(5000);
    for (let attempt = 2; attempt <= 101; attempt += 1) {
      world.take("bob");
      world.giveBack("bob", id, attempt);
    }
    world.take("bob");
    const { attempts } = world.delivery(id);
    expect(attempts.map(({ n }) => n)).toEqual([1, ...Array.from({ length: 20 }, (_, index) => 82 + index), 102]);
    expect(world.ack("bob", id, 102)).toMatchObject({ attempt: 102, state: "acked" });
  });

  it("is not moved by the wall clock while it backs off", () => {
    const world = room();
    const id = world.post("ann", "bob", "hello");
    world.take("bob");
    world.nack("bob", id, 1);
    for (const jumpMs of [-WEEK_MS, 3 * WEEK_MS]) {
      world.wallMs += jumpMs;
      expect(world.mailState(id)).toBe("pending");
      expect(world.take("bob")).toEqual([]);
    }
    expect(world.advance(5000).take("bob")).toEqual(["hello"]);
  });
});

describe("an answer", () => {
  it("for an older attempt is stale and changes nothing", () => {
    const world = room();
    const id = world.post("ann", "bob", "hello");
    world.take("bob");
    world.nack("bob", id, 1);
    world.advance(5000).take("bob");
    for (const late of [world.ack("bob", id, 1), world.nack("bob", id, 1)]) {
      expect(late).toMatchObject({ error: "attempt_stale", facts: { current_attempt: 2, state: "in_flight" } });
    }
    expect(world.mailState(id)).toBe("in_flight");
  });

  it("for a message that was not taken, or waits to be taken again, is stale", () => {
    const world = room();
    const id = world.post("ann", "bob", "hello");
    expect(codeOf(world.ack("bob", id))).toBe("attempt_stale");
    world.take("bob");
    world.nack("bob", id, 1);
    expect(codeOf(world.ack("bob", id, 1))).toBe("attempt_stale");
  });

  it("that repeats a final one changes nothing and says so", () => {
    const world = room();
    const id = world.post("ann", "bob", "hello");
    world.take("bob");
    world.ack("bob", id, 1);
    expect(world.ack("bob", id, 1)).toMatchObject({ state: "acked", repeated: true });
    expect(world.counts("bob")).toMatchObject({ acked: 1, pending: 0 });
    const dead = deadLetter();
    expect(dead.world.nack("bob", dead.id, 1)).toMatchObject({ state: "dead_letter", repeated: true });
  });

  it("for an attempt that has not begun is told so, and what to do", () => {
    const world = room();
    const id = world.post("ann", "bob", "hello");
    for (const answer of [world.ack("bob", id), world.ack("bob", id, 1), world.nack("bob", id, 7)]) {
      expect(answer).toMatchObject({
        error: "attempt_stale",
        message: "The message has not been taken yet.",
        next: "Take the message first, then answer for the attempt that comes with it.",
        facts: { current_attempt: 0, state: "pending" },
      });
    }
    world.take("bob");
    expect(world.ack("bob", id, 7)).toMatchObject({
      message: "Attempt 7 has not begun; the message is at attempt 1 and in_flight.",
      next: "If you have taken the message, answer for attempt 1.",
      facts: { current_attempt: 1, state: "in_flight" },
    });
    world.nack("bob", id, 1);
    expect(world.ack("bob", id, 2)).toMatchObject({
      message: "Attempt 2 has not begun; the message waits to be taken again.",
      next: "Take the message again, then answer for the attempt that comes with it.",
    });
  });

  it("for an attempt that is over is told so, and what to do", () => {
    const world = room();
    const id = world.post("ann", "bob", "hello");
    world.take("bob");
    world.nack("bob", id, 1);
    expect(world.ack("bob", id, 1)).toMatchObject({
      message: "Attempt 1 is over, and the message waits to be taken again.",
      next: "Take the message again, then answer for the attempt that comes with it.",
    });
    world.advance(5000).take("bob");
    expect(world.ack("bob", id, 1)).toMatchObject({
      message: "Attempt 1 is over; the message is at attempt 2 and in_flight.",
      next: "If you took it again, answer for attempt 2. Otherwise leave it to the reader that did.",
    });
  });

  it.each([
    ["ack", 1, "dead_letter", "The message has ended as dead_letter; nothing was changed."],
    ["nack", 1, "acked", "The message has ended as acked; nothing was changed."],
    ["ack", 7, "acked", "Attempt 7 never began, and the message has ended as acked, with attempt 1."],
    ["ack", 7, "dead_letter", "Attempt 7 never began, and the message has ended as dead_letter, with attempt 1."],
    ["ack", 1, "expired", "The message has ended as expired; nothing was changed."],
  ] as const)("%s of attempt %i, of a message that has ended as %s, is told so", (what, attempt, state, message) => {
    const world = room({ maxRetries: 0 });
    const id = world.post("ann", "bob", "hello");
    world.take("bob");
    if (state === "acked") world.ack("bob", id, 1);
    if (state === "dead_letter") world.nack("bob", id, 1);
    if (state === "expired") world.purge("bob");
    const next =
      state === "dead_letter"
        ? "If the work was done, nothing is left to do; if not, requeue the dead letter."
        : "A message that has ended cannot change. If the work was done, nothing is left to do.";
    const facts = { current_attempt: 1, state };
    expect(world[what]("bob", id, attempt)).toMatchObject({ error: "attempt_stale", message, next, facts });
    expect(world.mailState(id)).toBe(state);
  });

  it("for a message that has ended without being taken, or with a later attempt, is told so", () => {
    const world = room();
    const [untaken, acked] = [world.post("cy", "bob", "never mind"), world.post("ann", "bob", "hello")];
    world.take("bob", { from: "ann" });
    world.nack("bob", acked, 1);
    world.advance(5000).take("bob", { from: "ann" });
    world.ack("bob", acked, 2);
    world.purge("bob");
    expect(world.ack("bob", untaken, 1)).toMatchObject({
      message: "The message was never taken, and has ended as expired.",
    });
    expect(world.ack("bob", acked, 1)).toMatchObject({
      message: "Attempt 1 is over, and the message has ended as acked, with attempt 2.",
    });
  });

  it("for another agent's message is refused", () => {
    const world = room();
    const id = world.post("ann", "bob", "hello");
    world.take("bob");
    expect(codeOf(world.ack("cy", id, 1))).toBe("not_your_message");
    expect(world.mailState(id)).toBe("in_flight");
  });
});

describe("the time to live", () => {
  it("ends what is pending and what is in flight", () => {
    const world = room({ inflightTimeoutMs: WEEK_MS * 2 });
    const [taken, left] = [world.post("ann", "bob", "1"), world.post("cy", "bob", "2")];
    world.take("bob", { from: "ann" });
    expect([world.advance(WEEK_MS - 1).mailState(taken), world.mailState(left)]).toEqual(["in_flight", "pending"]);
    expect([world.advance(1).mailState(taken), world.mailState(left)]).toEqual(["expired", "expired"]);
    expect(world.take("bob")).toEqual([]);
    expect(world.counts("bob")).toMatchObject({ expired: 2, pending: 0, in_flight: 0 });
  });

  it("goes by the wall after a reboot", () => {
    const world = room();
    const id = world.post("ann", "bob", "hello");
    world.epoch = "boot-2";
    world.nowMs = 0;
    expect(world.mailState(id)).toBe("pending");
    world.wallMs += WEEK_MS;
    expect(world.mailState(id)).toBe("expired");
  });

  it("is not what a dead letter ends by, however late a process looks", () => {
    const world = room({ maxRetries: 0 });
    const id = world.post("ann", "bob", "hello");
    world.take("bob");
    expect(world.advance(30_000).mailState(id)).toBe("dead_letter");
    expect(world.advance(WEEK_MS).mailState(id)).toBe("dead_letter");
  });
});

it("what was in flight when the machine went down can be taken at once", () => {
  const world = room();
  const id = world.post("ann", "bob", "hello");
  world.take("bob");
  world.epoch = "boot-2";
  world.nowMs = 0;
  expect(world.delivery(id).attempts).toMatchObject([{ outcome: "timed_out" }]);
  expect(world.take("bob")).toEqual(["hello"]);
});

describe("a dead letter", () => {
  it("gets a new delivery when it is requeued, whose attempts go on counting", () => {
    const { world, id } = deadLetter();
    expect(world.requeue("bob", id)).toMatchObject({ messageId: id, requeuedFrom: 1, deliverySeq: 2 });
    expect(world.counts("bob")).toMatchObject({ dead_letter: 1, pending: 1 });
    expect(world.take("bob")).toEqual(["hello"]);
    expect(codeOf(world.ack("bob", id, 1))).toBe("attempt_stale");
    expect(world.ack("bob", id, 2)).toMatchObject({ attempt: 2, state: "acked" });
  });

  it("is requeued once, and not after it was purged", () => {
    const { world, id } = deadLetter();
    expect(world.purge("bob", "dead_letters")).toBe(1);
    expect(codeOf(world.requeue("bob", id))).toBe("message_not_found");
    expect(world.counts("bob")).toMatchObject({ dead_letter: 1 });
    expect(world.purge("bob", "dead_letters")).toBe(0);
  });
});

it("purging a mailbox ends what is live as expired, and nothing else", () => {
  const world = room();
  const [read, taken, left] = ["1", "2", "3"].map((body) => world.post("ann", "bob", body));
  world.take("bob", { limit: 1 });
  world.ack("bob", read as string);
  world.take("bob", { limit: 1 });
  expect(world.purge("bob")).toBe(2);
  expect([read, taken, left].map((id) => world.mailState(id as string))).toEqual(["acked", "expired", "expired"]);
  expect(world.delivery(left as string).reason).toBe("purged");
});
