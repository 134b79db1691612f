import { expect, test } from "vitest";
import { asAgentId } from "../../../src/core/ids.ts";
import { type AfterLook, mayBeQuiet } from "../../../src/hooks/rules/quiet.ts";
import { emptyMailbox } from "../../../src/mail/rules/mailbox.ts";
import type { Room } from "../../../src/room/rules/room.ts";
import { RoomWorld } from "../../support/room-world.ts";

const [ann, bob] = [asAgentId("claude:ann"), asAgentId("codex:bob")];
const box = emptyMailbox(ann);
const { room } = new RoomWorld();
const inRoom = (state: Partial<Room["state"]>): Room => ({ ...room, state: { ...room.state, ...state } });
const looked: AfterLook = { event: "prompt", agentId: ann, rooms: [room], box, candidates: [room.path] };
const reserved = (agentId: typeof ann) => inRoom({ reservation: { agentId, via: "pass", givenBy: bob } });

test.each<[given: string, look: Partial<AfterLook>, expected: boolean]>([
  ["nothing to do", {}, true],
  ["nothing to do at the end of a turn", { event: "stop" }, true],
  ["unread mail", { box: { ...box, counts: { ...box.counts, pending: 1 } } }, false],
  ["shown mail", { box: { ...box, shown: 1, counts: { ...box.counts, in_flight: 1 } } }, false],
  ["mail that was read", { box: { ...box, counts: { ...box.counts, acked: 5 } } }, true],
  ["a stick of its own", { rooms: [room, inRoom({ owner: ann })] }, false],
  ["a stick of another agent", { rooms: [inRoom({ owner: bob })] }, true],
  ["a stick that is reserved for it", { rooms: [reserved(ann)] }, false],
  ["a stick that is reserved for another agent", { rooms: [reserved(bob)] }, true],
  ["no room, at a prompt, which looks for one", { rooms: [] }, true],
  ["no room, at the end of a turn", { rooms: [], event: "stop" }, false],
  ["no room of its place, at the end of a turn", { event: "stop", candidates: ["/projects/other"] }, false],
])("given %s", (_, look, expected) => {
  expect(mayBeQuiet({ ...looked, ...look })).toBe(expected);
});
