import { expect, test } from "vitest";
import type { AgentId, EventId, RoomId } from "../../../../src/core/ids.ts";
import type { ReceivedMessage } from "../../../../src/mail/rules/message.ts";
import { MailDesk } from "../../../../src/surfaces/page/mail/mail-desk.ts";
import { type PageSource, RefusedError } from "../../../../src/surfaces/page/source.ts";

const WAITING = { isWanted: true, unread: 1 };

function mail(id: string, deliverySeq: number, attempt = 1): ReceivedMessage {
  return {
    messageId: id as EventId,
    from: "codex:1" as AgentId,
    to: "human:u" as AgentId,
    room: { id: "room" as RoomId, path: "/w" },
    handle: null,
    harness: "codex",
    origin: "peer",
    body: id,
    bodyBytes: 1,
    deliveryHint: "normal",
    createdAt: "2026-11-19T12:00:00.000Z",
    attempt,
    deliverySeq,
  };
}

/** A mailbox that gives one batch after the other. */
class World {
  readonly asked: string[] = [];
  readonly batches: ReceivedMessage[][];
  readonly later: (() => void)[] = [];
  stale = new Set<string>();
  readonly desk: MailDesk;

  constructor(...batches: ReceivedMessage[][]) {
    this.batches = batches;
    const ask = async (name: string, input: Record<string, string | number>) => {
      this.asked.push(name === "ack_message" ? `ack ${input["message_id"]} ${input["attempt"]}` : "take");
      if (name === "ack_message") {
        if (!this.stale.delete(`${input["message_id"]}`)) return {};
        throw new RefusedError({ code: "attempt_stale", message: "Too late.", next: "", facts: {} });
      }
      const messages = this.batches.shift() ?? [];
      return { count: messages.length, messages, remaining: this.batches.flat().length };
    };
    const later = (call: () => void) => {
      this.later.push(call);
      return () => void this.later.splice(0);
    };
    this.desk = new MailDesk({ ask: ask as unknown as PageSource["ask"], later });
  }

  /** All that is under way is over. */
  async settled(): Promise<readonly string[]> {
    await new Promise((resolve) => setImmediate(resolve));
    return this.asked;
  }
}

test("mail that was not on the screen is not acknowledged, and no more is taken", async () => {
  const world = new World([mail("a", 1), mail("b", 2)], [mail("c", 3)]);
  world.desk.tell(WAITING);
  await world.settled();
  world.desk.seen("b" as EventId);
  world.desk.tell({ isWanted: true, unread: 3 });
  expect(await world.settled()).toEqual(["take", "ack b 1"]);
  expect([...world.desk.state().unseen]).toEqual(["a"]);
});

test("once all of it was on the screen, the next is taken", async () => {
  const world = new World([mail("a", 1)], [mail("b", 2)]);
  world.desk.tell(WAITING);
  await world.settled();
  world.desk.seen("a" as EventId);
  expect(await world.settled()).toEqual(["take", "ack a 1", "take"]);
  expect(world.desk.state().held.map(({ messageId }) => messageId)).toEqual(["b", "a"]);
});

test("a message that the talk has shown before it is taken is acknowledged at once", async () => {
  const world = new World([mail("a", 1)]);
  world.desk.seen("a" as EventId);
  world.desk.tell(WAITING);
  expect(await world.settled()).toEqual(["take", "ack a 1"]);
  expect(world.desk.state().unseen.size).toBe(0);
});

test("while no view shows mail, none is taken", async () => {
  const world = new World([mail("a", 1)]);
  world.desk.tell({ isWanted: false, unread: 5 });
  expect(await world.settled()).toEqual([]);
});

test("without unread mail nothing is asked", async () => {
  const world = new World();
  world.desk.tell({ isWanted: true, unread: 0 });
  expect(await world.settled()).toEqual([]);
});

test("a message that was seen too late comes again, and is acknowledged then", async () => {
  const world = new World([mail("a", 1)], [mail("a", 1, 2)]);
  world.stale.add("a");
  world.desk.tell(WAITING);
  await world.settled();
  world.desk.seen("a" as EventId);
  await world.settled();
  world.later[0]?.();
  expect(await world.settled()).toEqual(["take", "ack a 1", "take", "ack a 2"]);
  expect(world.desk.state().held).toHaveLength(1);
  expect(world.desk.state().fault).toBeNull();
});

test("mail that cannot be taken yet is looked for three times more", async () => {
  const world = new World();
  world.desk.tell(WAITING);
  for (let round = 0; round < 10; round += 1) {
    await world.settled();
    world.later.pop()?.();
  }
  expect(await world.settled()).toHaveLength(4);
});

test("an old message that comes late is kept, although a hundred newer ones were shown", async () => {
  const newer = Array.from({ length: 100 }, (_, at) => mail(`n${at}`, 100 + at));
  const world = new World(newer, [mail("old", 1)]);
  for (const { messageId } of newer) world.desk.seen(messageId);
  world.desk.tell({ isWanted: true, unread: 101 });
  await world.settled();
  await world.settled();
  expect(world.desk.state().held.map(({ messageId }) => messageId)).toContain("old");
  expect(world.desk.state().held).toHaveLength(100);
});

test("a fault is told until mail can be taken again, also if there is none", async () => {
  let isDown = true;
  const ask = async () => {
    if (isDown) throw new Error("tt ui does not answer.");
    return { count: 0, messages: [], remaining: 0 };
  };
  const desk = new MailDesk({ ask: ask as unknown as PageSource["ask"], later: () => () => undefined });
  desk.tell(WAITING);
  await new Promise((resolve) => setImmediate(resolve));
  expect(desk.state().fault).toBe("tt ui does not answer.");
  isDown = false;
  desk.tell(WAITING);
  await new Promise((resolve) => setImmediate(resolve));
  expect(desk.state().fault).toBeNull();
});
