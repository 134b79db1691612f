/** Section 2 and 9 of the protocol: the message, its fields in both letter cases, what is unknown. */
import { describe, expect, test } from "vitest";
import type { DeadLetterEntry, EnqueueAck, Message, MessageSummary } from "../../src/app/mailbox.ts";
import { MailboxWorld, message, type OpenMailboxBackend, START } from "./mailbox-world.ts";

/** What a program written against the protocol's interface expects. */
interface ProtocolMailbox {
  enqueue(message: Message): Promise<EnqueueAck>;
  dequeue(sessionId: string): Promise<Message | null>;
  ack(sessionId: string, msgId: string): Promise<void>;
  nack(sessionId: string, msgId: string, reason: string): Promise<void>;
  peek(sessionId: string): Promise<MessageSummary[]>;
  purge(sessionId: string): Promise<void>;
  peekDeadLetter(sessionId: string): Promise<DeadLetterEntry[]>;
  purgeDeadLetter(sessionId: string): Promise<void>;
}

export function messageConformance(openBackend: OpenMailboxBackend): void {
  const open = async () => {
    const world = await MailboxWorld.open(openBackend);
    return { world, mailbox: await world.mailbox() };
  };

  describe("a message", () => {
    test("comes out as it went in, with exactly the six fields, in snake_case", async () => {
      const { mailbox } = await open();
      const given = message("boss:1743999600123456789", { created_at: 1_743_999_600 });
      await mailbox.enqueue(given);
      expect(await mailbox.dequeue("worker")).toStrictEqual(given);
    });

    test("passes through the protocol's own interface", async () => {
      const { mailbox } = await open();
      const protocol: ProtocolMailbox = mailbox;
      const given: Message = { msg_id: "m1", from: "boss", to: "worker", payload: "x", created_at: 1, attempt: 0 };
      await protocol.enqueue(given);
      expect(await protocol.peek("worker")).toStrictEqual([
        { msg_id: "m1", from: "boss", created_at: 1, attempt: 0, state: "pending" },
      ]);
      expect(await protocol.dequeue("worker")).toStrictEqual(given);
    });

    test("may be given in camelCase", async () => {
      const { mailbox } = await open();
      const ack = await mailbox.enqueue({ msgId: "m1", from: "boss", to: "worker", payload: "x", createdAt: 12 });
      expect(ack).toEqual({ msg_id: "m1", queued: true, pending: 1 });
      expect(await mailbox.dequeue("worker")).toMatchObject({ msg_id: "m1", created_at: 12 });
    });

    test("may give a field in both letter cases, as long as they agree", async () => {
      const { mailbox } = await open();
      await mailbox.enqueue({ ...message("m1"), msgId: "m1", createdAt: START });
      const differing = mailbox.enqueue({ ...message("m2"), msgId: "m3" });
      await expect(differing).rejects.toMatchObject({ code: "invalid_input", facts: { field: "msg_id" } });
    });

    test("may carry a protocol version and fields that nobody knows, which are ignored", async () => {
      const { mailbox } = await open();
      await mailbox.enqueue({ ...message("m1"), protocol_version: "9.7", priority: { high: true } } as never);
      expect(await mailbox.dequeue("worker")).toStrictEqual(message("m1"));
    });

    test("keeps its id and the time at which it was made across retries", async () => {
      const { world, mailbox } = await open();
      await mailbox.enqueue(message("m1", { created_at: 7 }));
      await mailbox.dequeue("worker");
      await mailbox.nack("worker", "m1", "busy");
      world.pass(5);
      expect(await mailbox.dequeue("worker")).toMatchObject({ msg_id: "m1", created_at: 7, attempt: 1 });
    });

    test("that does not say when it was made was made now", async () => {
      const { world, mailbox } = await open();
      world.pass(90);
      await mailbox.enqueue({ msg_id: "m1", from: "boss", to: "worker", payload: "x" });
      expect(await mailbox.dequeue("worker")).toMatchObject({ created_at: START + 90 });
    });

    test("counts its attempts from 0, whatever number its sender gave", async () => {
      const { mailbox } = await open();
      await mailbox.enqueue(message("m1", { attempt: 7 }));
      expect(await mailbox.dequeue("worker")).toMatchObject({ attempt: 0 });
    });

    test("has a payload of arbitrary text, up to the bytes that the room allows", async () => {
      const { world, mailbox } = await open();
      const texts = ["", " \n\t", "NUL \u0000 quotes '\"\\ ünïcödé 🪄 \u202e \u001b[2J", "é".repeat(4096)];
      for (const [index, payload] of texts.entries()) {
        await mailbox.enqueue(message(`m${index}`, { payload }));
        expect(await mailbox.dequeue("worker")).toMatchObject({ payload });
        await mailbox.ack("worker", `m${index}`);
      }
      const before = await world.events();
      const tooLarge = mailbox.enqueue(message("large", { payload: `${"é".repeat(4096)}x` }));
      await expect(tooLarge).rejects.toMatchObject({
        code: "message_too_large",
        facts: { supplied: 8193, limit: 8192 },
      });
      expect(await world.events()).toEqual(before);
      expect(await mailbox.enqueue(message("large", { payload: "shorter" }))).toMatchObject({ queued: true });
    });

    test("is written into the log of the workspace's room, in which nobody becomes a member", async () => {
      const { world, mailbox } = await open();
      expect(await world.rooms()).toEqual([]);
      await mailbox.dequeue("worker");
      expect(await world.rooms()).toEqual([]);
      await mailbox.enqueue(message("m1", { created_at: 7 }));
      expect(await world.rooms()).toMatchObject([{ path: world.root }]);
      const [event] = await world.events();
      expect(event).toMatchObject({ type: "message_sent", fromAgentId: "boss", toAgentId: "worker" });
      expect(event?.payload).toMatchObject({ body: "do m1", origin: "peer", msgId: "m1", createdAtSecs: 7 });
      expect((await world.rooms())[0]?.state.members.size).toBe(0);
    });
  });
}
