import { expect, test } from "vitest";
import type { RoomEvent } from "../../../../src/core/event.ts";
import type { AgentId, EventId, RoomId } from "../../../../src/core/ids.ts";
import type { DeadLetter } from "../../../../src/mail/dead-letters.ts";
import type { DeliveryMark } from "../../../../src/peers/rules/picture-talk.ts";
import { deadInOrder, mailRows, undeliveredIn } from "../../../../src/surfaces/page/views/mail/mail-rows.ts";

const ME = "human:u" as AgentId;
const CODEX = "codex:1" as AgentId;

function message(seq: number): RoomEvent {
  return { seq, type: "message_sent", eventId: `e${seq}`, payload: { body: "a" } } as unknown as RoomEvent;
}

function marked(...marks: readonly (readonly [seq: number, to: AgentId, mark: DeliveryMark])[]) {
  return new Map(marks.map(([seq, to, mark]) => [`e${seq}` as EventId, [{ to, mark }]]));
}

function letter(deliverySeq: number, room: string, more: Partial<DeadLetter> = {}): DeadLetter {
  return { deliverySeq, room: { id: room as RoomId, path: null }, ...more } as DeadLetter;
}

test("a message that a recipient will not read is listed, the newest first", () => {
  const marks = marked([1, CODEX, "dead"], [2, CODEX, "read"], [3, CODEX, "dead"]);
  const found = undeliveredIn([message(1), message(2), message(3)], marks, ME);
  expect(found.map(({ event, to }) => [event.seq, to])).toEqual([
    [3, [CODEX]],
    [1, [CODEX]],
  ]);
});

test("the person's own dead letter is not listed among those of others", () => {
  expect(undeliveredIn([message(1)], marked([1, ME, "dead"]), ME)).toEqual([]);
});

test("a dead letter that was requeued is not dead any more, and those of this room come first", () => {
  const letters = [letter(1, "here"), letter(2, "there"), letter(3, "here"), letter(4, "here", { requeuedAs: 5 })];
  expect(deadInOrder(letters, "here").map(({ deliverySeq }) => deliverySeq)).toEqual([3, 1, 2]);
});

function kinds(dead: readonly DeadLetter[] | null) {
  return mailRows({ held: [], dead, moreAfter: null, undelivered: [] }).map(({ key }) => key);
}

test("each part that is empty says so, and one that is not known is left out", () => {
  expect(kinds([])).toEqual(["head:mail", "none:mail", "head:mine", "none:mine", "head:others", "none:others"]);
  expect(kinds(null)).toEqual(["head:mail", "none:mail", "head:others", "none:others"]);
});

test("a further page of dead letters is offered behind the first", () => {
  const rows = mailRows({ held: [], dead: [letter(1, "here")], moreAfter: 1, undelivered: [] });
  expect(rows.map(({ key }) => key)).toContain("more");
});
