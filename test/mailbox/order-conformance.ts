/** Section 7 of the protocol: the order of delivery. */
import { describe, expect, test } from "vitest";
import type { Mailbox } from "../../src/surfaces/library/mailbox-library.ts";
import { MailboxWorld, message, type OpenMailboxBackend, START } from "./mailbox-world.ts";

/** Takes the next message and acks it. */
async function next(mailbox: Mailbox): Promise<string | null> {
  const taken = await mailbox.dequeue("worker");
  if (taken) await mailbox.ack("worker", taken.msg_id);
  return taken?.msg_id ?? null;
}

export function orderConformance(openBackend: OpenMailboxBackend): void {
  const open = async () => {
    const world = await MailboxWorld.open(openBackend);
    return { world, mailbox: await world.mailbox() };
  };

  describe("the order", () => {
    test("is first in, first out for one sender, whatever times the sender gives", async () => {
      const { mailbox } = await open();
      for (const index of [1, 2, 3]) await mailbox.enqueue(message(`m${index}`, { created_at: START - index }));
      expect([await next(mailbox), await next(mailbox), await next(mailbox)]).toEqual(["m1", "m2", "m3"]);
    });

    test("holds across a nack: nothing of that sender overtakes it", async () => {
      const { world, mailbox } = await open();
      for (const id of ["m1", "m2"]) await mailbox.enqueue(message(id));
      await mailbox.dequeue("worker");
      expect(await mailbox.dequeue("worker")).toBeNull();
      await mailbox.nack("worker", "m1", "busy");
      expect(await mailbox.dequeue("worker")).toBeNull();
      world.pass(5);
      expect([await next(mailbox), await next(mailbox)]).toEqual(["m1", "m2"]);
    });

    test("of one sender does not hold another one's mail back", async () => {
      const { mailbox } = await open();
      await mailbox.enqueue(message("m1"));
      await mailbox.enqueue(message("c1", { from: "chief" }));
      await mailbox.dequeue("worker");
      await mailbox.nack("worker", "m1", "busy");
      expect(await next(mailbox)).toBe("c1");
    });

    test("interleaves senders as they were enqueued", async () => {
      const { mailbox } = await open();
      for (const [from, id] of [
        ["boss", "b1"],
        ["chief", "c1"],
        ["boss", "b2"],
        ["chief", "c2"],
      ] as const)
        await mailbox.enqueue(message(id, { from, created_at: from === "boss" ? START : START - 1000 }));
      const order = [await next(mailbox), await next(mailbox), await next(mailbox), await next(mailbox)];
      expect(order).toEqual(["b1", "c1", "b2", "c2"]);
    });

    test("is each receiver's own", async () => {
      const { mailbox } = await open();
      await mailbox.enqueue(message("m1"));
      await mailbox.enqueue(message("m2", { to: "other" }));
      expect(await mailbox.dequeue("other")).toMatchObject({ msg_id: "m2", to: "other" });
      expect(await mailbox.dequeue("worker")).toMatchObject({ msg_id: "m1", to: "worker" });
    });
  });
}
