/** Section 3 of the protocol: the states and the six rules of their transitions. */
import { describe, expect, test } from "vitest";
import type { Mailbox } from "../../src/surfaces/library/mailbox-library.ts";
import { MailboxWorld, message, type OpenMailboxBackend, stateOf } from "./mailbox-world.ts";

const WEEK = 7 * 24 * 60 * 60;
const LATE = { code: "attempt_stale" };

export function stateConformance(openBackend: OpenMailboxBackend): void {
  const open = async (policy: object = {}) => {
    const world = await MailboxWorld.open(openBackend, policy);
    const mailbox = await world.mailbox();
    await mailbox.enqueue(message("m1"));
    return { world, mailbox };
  };

  describe("the state machine", () => {
    test("pending awaits a dequeue, which puts it in flight", async () => {
      const { mailbox } = await open();
      expect(await stateOf(mailbox, "m1")).toBe("pending");
      await mailbox.dequeue("worker");
      expect(await stateOf(mailbox, "m1")).toBe("in_flight");
    });

    test("rule 1: only what is pending can be dequeued", async () => {
      const { world, mailbox } = await open();
      await mailbox.dequeue("worker");
      expect(await mailbox.dequeue("worker")).toBeNull();
      await mailbox.nack("worker", "m1", "busy");
      expect(await mailbox.dequeue("worker")).toBeNull();
      world.pass(5);
      await mailbox.dequeue("worker");
      await mailbox.ack("worker", "m1");
      expect(await mailbox.dequeue("worker")).toBeNull();
    });

    test("rule 2: only what is in flight can be acked or nacked", async () => {
      const { mailbox } = await open();
      await expect(mailbox.ack("worker", "m1")).rejects.toMatchObject(LATE);
      await expect(mailbox.nack("worker", "m1", "no")).rejects.toMatchObject(LATE);
      await mailbox.dequeue("worker");
      await mailbox.nack("worker", "m1", "busy");
      expect(await stateOf(mailbox, "m1")).toBe("nacked");
      await expect(mailbox.ack("worker", "m1")).rejects.toMatchObject(LATE);
      await expect(mailbox.nack("worker", "m1", "no")).rejects.toMatchObject(LATE);
    });

    test("rule 3: what was nacked before the last retry is pending again, under the same id, one attempt further", async () => {
      const { world, mailbox } = await open();
      await mailbox.dequeue("worker");
      await mailbox.nack("worker", "m1", "busy");
      expect(await mailbox.peek("worker")).toMatchObject([{ msg_id: "m1", state: "nacked", attempt: 0 }]);
      world.pass(5);
      expect(await mailbox.peek("worker")).toMatchObject([{ msg_id: "m1", state: "pending", attempt: 1 }]);
      expect(await mailbox.dequeue("worker")).toMatchObject({ msg_id: "m1", attempt: 1 });
    });

    test("rule 4: what was nacked after the last retry is a dead letter", async () => {
      const { mailbox } = await open({ maxRetries: 0 });
      await mailbox.dequeue("worker");
      await mailbox.nack("worker", "m1", "no");
      expect(await mailbox.peek("worker")).toEqual([]);
      expect(await mailbox.peekDeadLetter("worker")).toMatchObject([{ msg_id: "m1" }]);
    });

    test("rule 5: what is pending past its time to live has expired", async () => {
      const { world, mailbox } = await open();
      world.pass(WEEK - 1);
      expect(await stateOf(mailbox, "m1")).toBe("pending");
      world.pass(1);
      expect(await mailbox.peek("worker")).toEqual([]);
      expect(await mailbox.dequeue("worker")).toBeNull();
      expect(await world.counts("worker")).toMatchObject({ pending: 0, expired: 1 });
    });

    test("rule 5: what is in flight past its time to live has expired", async () => {
      const { world, mailbox } = await open({ messageTtlMs: 20_000 });
      await mailbox.dequeue("worker");
      world.pass(20);
      expect(await mailbox.peek("worker")).toEqual([]);
      await expect(mailbox.ack("worker", "m1")).rejects.toMatchObject({ ...LATE, facts: { state: "expired" } });
      expect(await world.counts("worker")).toMatchObject({ in_flight: 0, expired: 1 });
    });

    const ends: readonly (readonly [string, (world: MailboxWorld, mailbox: Mailbox) => Promise<void>])[] = [
      ["acked", (_, mailbox) => mailbox.ack("worker", "m1")],
      ["dead_letter", (_, mailbox) => mailbox.nack("worker", "m1", "no")],
      ["expired", (_, mailbox) => mailbox.purge("worker")],
    ];
    test.each(ends)("rule 6: %s is immutable", async (state, end) => {
      const { world, mailbox } = await open({ maxRetries: 0 });
      await mailbox.dequeue("worker");
      await end(world, mailbox);
      const ended = await world.counts("worker");
      expect(ended).toMatchObject({ [state]: 1 });
      await Promise.allSettled([mailbox.ack("worker", "m1"), mailbox.nack("worker", "m1", "again")]);
      await mailbox.enqueue(message("m1"));
      await mailbox.purge("worker");
      world.pass(WEEK);
      expect(await mailbox.dequeue("worker")).toBeNull();
      expect(await world.counts("worker")).toEqual(ended);
    });

    test("purging a mailbox ends what has not ended, behind any number that had expired by itself", async () => {
      const { world, mailbox } = await open({ messageTtlMs: 1000 });
      for (let index = 0; index < 250; index += 1) await mailbox.enqueue(message(`old${index}`));
      world.pass(1);
      await mailbox.enqueue(message("young"));
      await mailbox.purge("worker");
      expect(await mailbox.peek("worker")).toEqual([]);
      expect(await world.counts("worker")).toMatchObject({ pending: 0, in_flight: 0, expired: 252 });
    });
  });
}
