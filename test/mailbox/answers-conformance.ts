/** Sections 4 and 8 of the protocol: what each call answers, and what may be repeated. */
import { describe, expect, test } from "vitest";
import { MailboxWorld, message, type OpenMailboxBackend, stateOf } from "./mailbox-world.ts";

export function answersConformance(openBackend: OpenMailboxBackend): void {
  const open = async (policy: object = {}) => {
    const world = await MailboxWorld.open(openBackend, policy);
    return { world, mailbox: await world.mailbox() };
  };

  /** Two messages with one id, in flight with one handle. */
  const both = async () => {
    const { world, mailbox } = await open();
    await mailbox.enqueue(message("m1"));
    await mailbox.enqueue(message("m1", { from: "chief" }));
    expect(await mailbox.dequeue("worker")).toMatchObject({ from: "boss" });
    expect(await mailbox.dequeue("worker")).toMatchObject({ from: "chief" });
    return { world, mailbox };
  };

  describe("enqueue", () => {
    test("answers that the message is new, and how many wait", async () => {
      const { mailbox } = await open();
      expect(await mailbox.enqueue(message("m1"))).toStrictEqual({ msg_id: "m1", queued: true, pending: 1 });
      expect(await mailbox.enqueue(message("m2"))).toStrictEqual({ msg_id: "m2", queued: true, pending: 2 });
      await mailbox.dequeue("worker");
      expect(await mailbox.enqueue(message("m3", { to: "other" }))).toMatchObject({ pending: 1 });
      expect(await mailbox.enqueue(message("m4"))).toMatchObject({ pending: 2 });
    });

    test("of a known id is a no-op, whatever the message says now and whatever became of the first", async () => {
      const { world, mailbox } = await open();
      await mailbox.enqueue(message("m1"));
      const log = await world.events();
      const again = { msg_id: "m1", queued: false, pending: 1 };
      expect(await mailbox.enqueue(message("m1"))).toStrictEqual(again);
      expect(await mailbox.enqueue(message("m1", { payload: "something else" }))).toStrictEqual(again);
      expect(await mailbox.enqueue(message("m1", { payload: "x".repeat(10_000) }))).toStrictEqual(again);
      expect(await mailbox.enqueue(message("m1", { to: "other" }))).toStrictEqual({ ...again, pending: 0 });
      await mailbox.dequeue("worker");
      await mailbox.ack("worker", "m1");
      world.pass(365 * 24 * 60 * 60);
      expect(await mailbox.enqueue(message("m1"))).toMatchObject({ queued: false, pending: 0 });
      expect(await world.events()).toEqual(log);
      expect(await mailbox.dequeue("worker")).toBeNull();
      expect(await mailbox.dequeue("other")).toBeNull();
    });

    test("of a known id is a no-op for every handle: the store remembers, not the caller", async () => {
      const { world, mailbox } = await open();
      await mailbox.enqueue(message("m1"));
      const other = await world.mailbox({ apart: true });
      expect(await other.enqueue(message("m1"))).toMatchObject({ queued: false });
      const many = await Promise.all(
        Array.from({ length: 8 }, (_, index) => (index % 2 ? mailbox : other).enqueue(message("m2"))),
      );
      expect(many.filter(({ queued }) => queued)).toHaveLength(1);
    });

    test("of another sender's id is another message", async () => {
      const { mailbox } = await open();
      await mailbox.enqueue(message("m1"));
      expect(await mailbox.enqueue(message("m1", { from: "chief" }))).toMatchObject({ queued: true, pending: 2 });
    });

    test("takes a message of a session to itself", async () => {
      const { mailbox } = await open();
      await mailbox.enqueue(message("m1", { from: "worker" }));
      expect(await mailbox.dequeue("worker")).toMatchObject({ from: "worker", to: "worker" });
    });
  });

  describe("dequeue", () => {
    test("returns the oldest pending message, and null when there is none", async () => {
      const { mailbox } = await open();
      expect(await mailbox.dequeue("worker")).toBeNull();
      await mailbox.enqueue(message("m1"));
      await mailbox.enqueue(message("m2"));
      expect(await mailbox.dequeue("worker")).toMatchObject({ msg_id: "m1" });
      await mailbox.ack("worker", "m1");
      expect(await mailbox.dequeue("worker")).toMatchObject({ msg_id: "m2" });
      await mailbox.ack("worker", "m2");
      expect(await mailbox.dequeue("worker")).toBeNull();
    });

    test("finds a live message behind any number that have expired", async () => {
      const { world, mailbox } = await open({ messageTtlMs: 1000 });
      for (let index = 0; index < 25; index += 1) await mailbox.enqueue(message(`old${index}`));
      world.pass(1);
      await mailbox.enqueue(message("young"));
      expect(await mailbox.dequeue("worker")).toMatchObject({ msg_id: "young" });
    });

    test("by two handles at once never gives both the same message", async () => {
      const { world, mailbox } = await open();
      const handles = [mailbox, await world.mailbox({ apart: true })];
      const ids = Array.from({ length: 20 }, (_, index) => `m${index}`);
      for (const [index, id] of ids.entries()) await mailbox.enqueue(message(id, { from: `boss${index % 5}` }));
      const got: string[] = [];
      while (got.length < ids.length) {
        const round = await Promise.all(
          [...handles, ...handles].map(async (handle) => [handle, await handle.dequeue("worker")] as const),
        );
        for (const [handle, taken] of round) {
          if (!taken) continue;
          got.push(taken.msg_id);
          await handle.ack("worker", taken.msg_id);
        }
      }
      expect(got.toSorted()).toEqual(ids.toSorted());
    });
  });

  describe("ack and nack", () => {
    test("ack ends a message in flight", async () => {
      const { world, mailbox } = await open();
      await mailbox.enqueue(message("m1"));
      await mailbox.dequeue("worker");
      expect(await mailbox.ack("worker", "m1")).toBeUndefined();
      expect(await world.counts("worker")).toMatchObject({ in_flight: 0, acked: 1 });
    });

    test("ack of an acked message is a no-op, for any handle and attempt", async () => {
      const { world, mailbox } = await open();
      await mailbox.enqueue(message("m1"));
      await mailbox.dequeue("worker");
      await mailbox.ack("worker", "m1");
      const other = await world.mailbox({ apart: true });
      await mailbox.ack("worker", "m1");
      await other.ack("worker", "m1");
      await other.ack("worker", "m1", 3);
      expect(await world.counts("worker")).toMatchObject({ acked: 1 });
    });

    test("nack of a dead letter is a no-op", async () => {
      const { world, mailbox } = await open({ maxRetries: 0 });
      await mailbox.enqueue(message("m1"));
      await mailbox.dequeue("worker");
      await mailbox.nack("worker", "m1", "first");
      await mailbox.nack("worker", "m1", "second");
      await (await world.mailbox({ apart: true })).nack("worker", "m1", "third");
      expect(await mailbox.peekDeadLetter("worker")).toMatchObject([{ reason: "first" }]);
    });

    test("ack of a dead letter, and nack of an acked message, come too late", async () => {
      const { mailbox } = await open({ maxRetries: 0 });
      await mailbox.enqueue(message("dead"));
      await mailbox.dequeue("worker");
      await mailbox.nack("worker", "dead", "no");
      await mailbox.enqueue(message("done"));
      await mailbox.dequeue("worker");
      await mailbox.ack("worker", "done");
      const late = { code: "attempt_stale", next: expect.any(String) };
      await expect(mailbox.ack("worker", "dead")).rejects.toMatchObject({ ...late, facts: { state: "dead_letter" } });
      await expect(mailbox.nack("worker", "done", "no")).rejects.toMatchObject({ ...late, facts: { state: "acked" } });
    });

    test("of a message that is not there, or is another session's, is refused", async () => {
      const { mailbox } = await open();
      await mailbox.enqueue(message("m1"));
      await mailbox.dequeue("worker");
      await expect(mailbox.ack("worker", "m2")).rejects.toMatchObject({ code: "message_not_found" });
      await expect(mailbox.ack("boss", "m1")).rejects.toMatchObject({ code: "message_not_found" });
      await expect(mailbox.nack("other", "m1", "no")).rejects.toMatchObject({ code: "message_not_found" });
    });

    test("by a handle that lost its attempt changes nothing for the one that has it now", async () => {
      const { world, mailbox: slow } = await open();
      await slow.enqueue(message("m1"));
      await slow.dequeue("worker");
      world.pass(35);
      const quick = await world.mailbox({ apart: true });
      expect(await quick.dequeue("worker")).toMatchObject({ msg_id: "m1", attempt: 1 });
      await expect(slow.ack("worker", "m1")).rejects.toMatchObject({ code: "attempt_stale" });
      await expect(slow.nack("worker", "m1", "no")).rejects.toMatchObject({ code: "attempt_stale" });
      expect(await stateOf(quick, "m1")).toBe("in_flight");
      await quick.ack("worker", "m1");
    });

    test("is refused in the numbers that the protocol counts by", async () => {
      const { world, mailbox } = await open();
      await mailbox.enqueue(message("m1"));
      const refused = (attempt?: number) => expect(mailbox.ack("worker", "m1", attempt)).rejects;
      const untaken = { message: "The message has not been taken yet.", facts: { current_attempt: 0 } };
      await refused().toMatchObject(untaken);
      await refused(0).toMatchObject(untaken);
      expect(await mailbox.dequeue("worker")).toMatchObject({ attempt: 0 });
      await refused(3).toMatchObject({
        message: "Attempt 3 has not begun; the message is at attempt 0 and in_flight.",
        next: "If you have taken the message, answer for attempt 0.",
        facts: { current_attempt: 0 },
      });
      world.pass(35);
      await refused().toMatchObject({
        message: "Attempt 0 is over, and the message waits to be taken again.",
        facts: { current_attempt: 0 },
      });
      expect(await (await world.mailbox({ apart: true })).dequeue("worker")).toMatchObject({ attempt: 1 });
      await refused().toMatchObject({
        message: "Attempt 0 is over; the message is at attempt 1 and in_flight.",
        next: "If you took it again, answer for attempt 1. Otherwise leave it to the reader that did.",
        facts: { current_attempt: 1 },
      });
    });

    test("by a handle that dequeued nothing means the newest attempt, or the one that is named", async () => {
      const { world, mailbox } = await open();
      await mailbox.enqueue(message("m1"));
      await mailbox.dequeue("worker");
      const other = await world.mailbox({ apart: true });
      await expect(other.ack("worker", "m1", 1)).rejects.toMatchObject({ code: "attempt_stale" });
      await other.nack("worker", "m1", "busy", 0);
      world.pass(5);
      await mailbox.dequeue("worker");
      await other.ack("worker", "m1");
      expect(await world.counts("worker")).toMatchObject({ acked: 1 });
    });

    test("of an id that two senders gave mean the message this handle took, and nothing when nobody can tell", async () => {
      const { world, mailbox } = await open();
      await mailbox.enqueue(message("m1", { payload: "of the boss" }));
      await mailbox.enqueue(message("m1", { from: "chief", payload: "of the chief" }));
      const other = await world.mailbox({ apart: true });
      expect(await mailbox.dequeue("worker")).toMatchObject({ from: "boss" });
      expect(await other.dequeue("worker")).toMatchObject({ from: "chief" });
      const third = await world.mailbox({ apart: true });
      await expect(third.ack("worker", "m1")).rejects.toMatchObject({
        code: "msg_id_conflict",
        facts: { from: ["boss", "chief"] },
      });
      await other.ack("worker", "m1");
      expect(await mailbox.peek("worker")).toMatchObject([{ from: "boss", state: "in_flight" }]);
      await third.ack("worker", "m1");
      expect(await world.counts("worker")).toMatchObject({ acked: 2 });
    });

    test("of an id that two senders gave, both taken by this handle, answer for one after the other, the last first", async () => {
      const { world, mailbox } = await both();
      await mailbox.ack("worker", "m1");
      expect(await mailbox.peek("worker")).toMatchObject([{ from: "boss", state: "in_flight" }]);
      await mailbox.ack("worker", "m1");
      expect(await world.counts("worker")).toMatchObject({ in_flight: 0, acked: 2 });
      await mailbox.ack("worker", "m1");
      world.pass(365 * 24 * 60 * 60);
      expect(await mailbox.dequeue("worker")).toBeNull();
      expect(await mailbox.peekDeadLetter("worker")).toEqual([]);
    });

    test("of both at once answer for both", async () => {
      const { world, mailbox } = await both();
      await Promise.all([mailbox.ack("worker", "m1"), mailbox.ack("worker", "m1")]);
      expect(await world.counts("worker")).toMatchObject({ in_flight: 0, acked: 2 });
    });

    test("mean the message of the sender that is named", async () => {
      const { world, mailbox } = await both();
      await mailbox.nack("worker", "m1", "not now", { from: "boss" });
      expect(await mailbox.peek("worker")).toMatchObject([
        { from: "boss", state: "nacked" },
        { from: "chief", state: "in_flight" },
      ]);
      await mailbox.ack("worker", "m1", { from: "chief", attempt: 0 });
      world.pass(5);
      expect(await mailbox.dequeue("worker")).toMatchObject({ from: "boss", attempt: 1 });
      await mailbox.ack("worker", "m1", { from: "boss" });
      expect(await world.counts("worker")).toMatchObject({ acked: 2 });
    });

    test("of a handle that took neither can name the sender, too; one who sent no such message is refused", async () => {
      const { world } = await both();
      const other = await world.mailbox({ apart: true });
      await expect(other.ack("worker", "m1")).rejects.toMatchObject({
        code: "msg_id_conflict",
        next: expect.stringContaining("sender"),
      });
      await expect(other.ack("worker", "m1", { from: "nobody" })).rejects.toMatchObject({ code: "message_not_found" });
      await other.ack("worker", "m1", { from: "boss" });
      expect(await other.peek("worker")).toMatchObject([{ from: "chief", state: "in_flight" }]);
    });

    test("that come too late for one of them do not stand in the way of the other", async () => {
      const { world, mailbox } = await open();
      await mailbox.enqueue(message("m1"));
      await mailbox.dequeue("worker");
      world.pass(20);
      await mailbox.enqueue(message("m1", { from: "chief" }));
      await mailbox.dequeue("worker");
      world.pass(20);
      const quick = await world.mailbox({ apart: true });
      expect(await quick.dequeue("worker")).toMatchObject({ from: "boss", attempt: 1 });
      await mailbox.ack("worker", "m1");
      await expect(mailbox.ack("worker", "m1")).rejects.toMatchObject({ code: "attempt_stale" });
      expect(await quick.peek("worker")).toMatchObject([{ from: "boss", state: "in_flight" }]);
      await quick.ack("worker", "m1");
      expect(await world.counts("worker")).toMatchObject({ acked: 2 });
    });

    test.each([["x"], [{ attempt: -1 }], [{ from: "" }], [{ from: "room" }], [null]])(
      "refuse %j as what is meant",
      async (which) => {
        const { mailbox } = await both();
        await expect(mailbox.ack("worker", "m1", which as never)).rejects.toMatchObject({ code: "invalid_input" });
      },
    );
  });
}
