/** Sections 5 and 6 of the protocol: retries with their waits, and the dead letter queue. */
import { describe, expect, test } from "vitest";
import { MailboxWorld, message, type OpenMailboxBackend, START, stateOf } from "./mailbox-world.ts";

const YEAR = 365 * 24 * 60 * 60;

export function retryConformance(openBackend: OpenMailboxBackend): void {
  const open = async (policy: object = {}) => {
    const world = await MailboxWorld.open(openBackend, policy);
    const mailbox = await world.mailbox();
    await mailbox.enqueue(message("m1"));
    return { world, mailbox };
  };

  describe("the retry policy", () => {
    test("waits 5, 10 and 20 seconds after the first three nacks, and the fourth ends it", async () => {
      const { world, mailbox } = await open();
      for (const [attempt, delay] of [5, 10, 20].entries()) {
        expect(await mailbox.dequeue("worker")).toMatchObject({ attempt });
        await mailbox.nack("worker", "m1", `no ${attempt}`);
        world.pass(delay - 0.001);
        expect(await stateOf(mailbox, "m1")).toBe("nacked");
        expect(await mailbox.dequeue("worker")).toBeNull();
        world.pass(0.001);
        expect(await stateOf(mailbox, "m1")).toBe("pending");
      }
      expect(await mailbox.dequeue("worker")).toMatchObject({ attempt: 3 });
      await mailbox.nack("worker", "m1", "no 3");
      expect(await mailbox.peek("worker")).toEqual([]);
      expect(await mailbox.peekDeadLetter("worker")).toMatchObject([{ reason: "no 3", attempts: 4, attempt: 3 }]);
    });

    test("takes its numbers from the room's policy when the message is sent", async () => {
      const { world, mailbox } = await open({ maxRetries: 1, baseBackoffMs: 3000 });
      await mailbox.dequeue("worker");
      await mailbox.nack("worker", "m1", "no");
      world.pass(3);
      await mailbox.dequeue("worker");
      await mailbox.nack("worker", "m1", "no");
      expect(await mailbox.peekDeadLetter("worker")).toMatchObject([{ attempts: 2 }]);
    });

    test("nacks by itself what was not acked within 30 seconds, and backs off from there", async () => {
      const { world, mailbox } = await open();
      await mailbox.dequeue("worker");
      world.pass(29.999);
      expect(await stateOf(mailbox, "m1")).toBe("in_flight");
      world.pass(0.001);
      expect(await stateOf(mailbox, "m1")).toBe("nacked");
      world.pass(4.999);
      expect(await mailbox.dequeue("worker")).toBeNull();
      world.pass(0.001);
      expect(await mailbox.dequeue("worker")).toMatchObject({ msg_id: "m1", attempt: 1 });
    });
  });

  describe("the dead letter queue", () => {
    test("holds the whole message, why it failed, when, and after how many attempts", async () => {
      const { world, mailbox } = await open({ maxRetries: 0 });
      await mailbox.dequeue("worker");
      world.pass(12);
      await mailbox.nack("worker", "m1", "the disk is full");
      world.pass(100);
      expect(await mailbox.peekDeadLetter("worker")).toStrictEqual([
        { ...message("m1"), attempt: 0, reason: "the disk is full", failed_at: START + 12, attempts: 1 },
      ]);
    });

    test("shows what ran out of attempts by time alone, from when it did, whether or not a process noticed", async () => {
      const { world, mailbox } = await open({ maxRetries: 0 });
      await mailbox.dequeue("worker");
      world.pass(1000);
      const dead = [{ msg_id: "m1", failed_at: START + 30, reason: "not acknowledged within 30000 ms" }];
      expect(await mailbox.peekDeadLetter("worker")).toMatchObject(dead);
      expect(await world.counts("worker")).toMatchObject({ in_flight: 1 });
      expect(await mailbox.dequeue("worker")).toBeNull();
      expect(await world.counts("worker")).toMatchObject({ dead_letter: 1 });
      world.pass(1000);
      expect(await mailbox.peekDeadLetter("worker")).toMatchObject(dead);
    });

    test("never deletes them", async () => {
      const { world, mailbox } = await open({ maxRetries: 0 });
      await mailbox.dequeue("worker");
      await mailbox.nack("worker", "m1", "no");
      world.pass(10 * YEAR);
      await mailbox.purge("worker");
      expect(await mailbox.peekDeadLetter("worker")).toMatchObject([{ msg_id: "m1" }]);
    });

    test("is one per session, oldest first, however many there are", async () => {
      const { mailbox } = await open({ maxRetries: 0 });
      for (let index = 2; index <= 205; index += 1) await mailbox.enqueue(message(`m${index}`));
      for (let index = 1; index <= 205; index += 1) {
        await mailbox.dequeue("worker");
        await mailbox.nack("worker", `m${index}`, "no");
      }
      const ids = (await mailbox.peekDeadLetter("worker")).map(({ msg_id }) => msg_id);
      expect(ids).toEqual(Array.from({ length: 205 }, (_, index) => `m${index + 1}`));
      expect(await mailbox.peekDeadLetter("boss")).toEqual([]);
    });

    test("can be purged, which touches nothing else and leaves nothing that time would add", async () => {
      const { world, mailbox } = await open({ maxRetries: 0 });
      await mailbox.dequeue("worker");
      await mailbox.nack("worker", "m1", "no");
      await mailbox.enqueue(message("m2"));
      await mailbox.dequeue("worker");
      world.pass(1000);
      await mailbox.enqueue(message("m3"));
      await mailbox.purgeDeadLetter("worker");
      expect(await mailbox.peekDeadLetter("worker")).toEqual([]);
      expect(await mailbox.peek("worker")).toMatchObject([{ msg_id: "m3", state: "pending" }]);
      expect(await mailbox.enqueue(message("m1"))).toMatchObject({ queued: false });
    });
  });
}
