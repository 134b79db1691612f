/** Ids that look like something else, and input that no caller should give. */
import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Mailbox } from "../../src/surfaces/library/mailbox-library.ts";
import { MailboxWorld, message, type OpenMailboxBackend } from "./mailbox-world.ts";

const HOSTILE = [
  "../../etc/passwd",
  "/etc/passwd",
  "a/b",
  "a\\b",
  ".",
  "..",
  "-rf",
  "--json",
  "%2e%2e%2f",
  "'; DROP TABLE deliveries; --".replaceAll(" ", "_"),
  "__proto__",
  "constructor",
  "NULL",
  "ünïcödé",
  "名前:🪄",
  "x".repeat(256),
];

const LONG = "x".repeat(513);

type Call = (mailbox: Mailbox) => Promise<unknown>;
const enqueue =
  (given: unknown): Call =>
  (mailbox) =>
    mailbox.enqueue(given as never);

const BAD: readonly (readonly [string, string, Call])[] = [
  ["no message", "message", enqueue(undefined)],
  ["null", "message", enqueue(null)],
  ["a list", "message", enqueue([])],
  ["a text", "message", enqueue("m1")],
  ["no msg_id", "msg_id", enqueue({ ...message("m1"), msg_id: undefined })],
  ["a msg_id that is no text", "msg_id", enqueue({ ...message("m1"), msg_id: 7 })],
  ["an empty msg_id", "msg_id", enqueue(message(""))],
  ["a msg_id with a line break", "msg_id", enqueue(message("m\n1"))],
  ["a msg_id with a NUL", "msg_id", enqueue(message("m\u0000"))],
  ["a msg_id with half a character", "msg_id", enqueue(message("m\ud800"))],
  ["a msg_id that is too long", "msg_id", enqueue(message(LONG))],
  [
    "a msg_id in the shape of our refusals",
    "msg_id",
    enqueue({ ...message("m"), msg_id: { error: 1, next: 1, facts: 1 } }),
  ],
  ["no from", "from", enqueue({ ...message("m1"), from: undefined })],
  ["an empty from", "from", enqueue(message("m1", { from: "" }))],
  ["a from with a space", "from", enqueue(message("m1", { from: "a b" }))],
  ["no to", "to", enqueue({ ...message("m1"), to: null })],
  ["a to that is too long", "to", enqueue(message("m1", { to: "x".repeat(257) }))],
  ["everybody as the recipient", "to", enqueue(message("m1", { to: "room" }))],
  ["no payload", "payload", enqueue({ ...message("m1"), payload: undefined })],
  ["a payload that is no text", "payload", enqueue({ ...message("m1"), payload: { text: "x" } })],
  ["a created_at that is no number", "created_at", enqueue({ ...message("m1"), created_at: "2026" })],
  ["a created_at with a fraction", "created_at", enqueue(message("m1", { created_at: 1.5 }))],
  ["a created_at before time began", "created_at", enqueue(message("m1", { created_at: -1 }))],
  ["an attempt that is no number", "attempt", enqueue({ ...message("m1"), attempt: "0" })],
  ["an attempt below 0", "attempt", enqueue(message("m1", { attempt: -1 }))],
  ["dequeue for nobody", "session_id", (mailbox) => mailbox.dequeue(undefined as never)],
  ["dequeue for a number", "session_id", (mailbox) => mailbox.dequeue(7 as never)],
  ["ack for nobody", "session_id", (mailbox) => mailbox.ack("", "m1")],
  ["ack of nothing", "msg_id", (mailbox) => mailbox.ack("worker", undefined as never)],
  ["ack of no attempt", "attempt", (mailbox) => mailbox.ack("worker", "m1", -1)],
  ["nack without a reason", "reason", (mailbox) => mailbox.nack("worker", "m1", undefined as never)],
  ["nack with a book", "reason", (mailbox) => mailbox.nack("worker", "m1", "x".repeat(2001))],
  ["peek at nobody", "session_id", (mailbox) => mailbox.peek(null as never)],
  ["purge of nobody", "session_id", (mailbox) => mailbox.purge("  ")],
  ["peekDeadLetter of nobody", "session_id", (mailbox) => mailbox.peekDeadLetter({} as never)],
  ["purgeDeadLetter of nobody", "session_id", (mailbox) => mailbox.purgeDeadLetter("\u0007")],
];

export function hostileConformance(openBackend: OpenMailboxBackend): void {
  const open = async () => {
    const world = await MailboxWorld.open(openBackend, { maxRetries: 0 });
    return { world, mailbox: await world.mailbox() };
  };

  describe("ids", () => {
    test("that look like something else are only ids", async () => {
      const { world, mailbox } = await open();
      for (const id of HOSTILE) {
        const given = message(id, { from: id, to: id });
        expect(await mailbox.enqueue(given)).toEqual({ msg_id: id, queued: true, pending: 1 });
        expect(await mailbox.enqueue(given)).toMatchObject({ queued: false });
        expect(await mailbox.dequeue(id)).toStrictEqual(given);
        await mailbox.nack(id, id, id);
        expect(await mailbox.peekDeadLetter(id)).toMatchObject([{ msg_id: id, reason: id }]);
        await mailbox.purgeDeadLetter(id);
        await mailbox.purge(id);
      }
      expect(readdirSync(world.root)).toEqual([]);
      expect(await world.counts("worker")).toMatchObject({ pending: 0 });
    });

    test("of messages have room for the longest sender and its nanoseconds", async () => {
      const { mailbox } = await open();
      const from = "🪄".repeat(128);
      const id = `${from}:1743999600123456789`;
      await mailbox.enqueue(message(id, { from }));
      await mailbox.enqueue(message("界".repeat(512), { from: "界".repeat(256), to: "界".repeat(255) }));
      expect(await mailbox.dequeue("worker")).toMatchObject({ msg_id: id, from });
      await mailbox.ack("worker", id);
    });
  });

  describe("bad input", () => {
    test.each(BAD)("%s is refused by its field, and nothing is written", async (_, field, call) => {
      const { world, mailbox } = await open();
      await expect(call(mailbox)).rejects.toMatchObject({
        name: "TalkingStickError",
        code: "invalid_input",
        message: expect.stringContaining(field === "message" ? "message" : field),
        next: expect.any(String),
        facts: { field },
      });
      expect(await world.rooms()).toEqual([]);
    });
  });
}
