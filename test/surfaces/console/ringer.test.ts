/** What an open console rings for. */
import { expect, test } from "vitest";
import type { RoomEvent } from "../../../src/core/event.ts";
import { asEventId } from "../../../src/core/ids.ts";
import type { RoomPicture } from "../../../src/peers/rules/picture.ts";
import { callsIn, Ringer } from "../../../src/surfaces/console/ringer.ts";
import { message, picture, row } from "./pictures.ts";

const CLAUDE = row("claude:1").agentId;
const ASKED = [{ asker: CLAUDE, name: "claude", messageId: asEventId("m"), words: "may I?" }];

function heldIn(state: RoomPicture["now"]["state"], { turnId = 3, waiting = ["codex:1"] } = {}): RoomPicture {
  const holder = { agentId: CLAUDE, since: null, purpose: null, leaseUntil: null };
  const queue = waiting.map((name) => row(name).agentId);
  return picture({ agents: [row("claude:1")], now: { ...picture().now, state, holder, turnId, queue } });
}

function ringing(...looks: readonly (readonly [RoomPicture, typeof ASKED])[]): readonly string[] {
  const rung: string[] = [];
  const ringer = new Ringer({ ring: (about) => void rung.push(about) });
  for (const [shown, asked] of looks) ringer.ringFor(callsIn(shown, asked));
  return rung;
}

test("a question rings once, and what was there at first does not ring", () => {
  expect(ringing([picture(), []], [picture(), ASKED], [picture(), ASKED])).toEqual(["claude asks you"]);
  expect(ringing([picture(), ASKED], [picture(), ASKED])).toEqual([]);
});

test("a lost holder rings once for each turn and ground, if another agent waits", () => {
  const nobody: typeof ASKED = [];
  const looks = [heldIn("owned"), heldIn("stale_owner"), heldIn("stale_owner"), heldIn("owner_gone")];
  expect(ringing(...looks.map((shown) => [shown, nobody] as const))).toEqual([
    "claude is silent and has the stick",
    "claude is gone and has the stick",
  ]);
  expect(ringing([heldIn("owned"), nobody], [heldIn("owner_gone", { waiting: [] }), nobody])).toEqual([]);
});

function write(fromAgentId: RoomEvent["fromAgentId"], nearby: readonly string[]): RoomEvent {
  const payload = { paths: ["a"], more: 0, nearby, evidence: "tool_call", duringTurn: null };
  return { ...message(""), type: "foreign_write", fromAgentId, payload } as unknown as RoomEvent;
}

test("a write without the stick rings if an agent may be behind it", () => {
  const rung: string[] = [];
  const ringer = new Ringer({ ring: (about) => void rung.push(about) });
  const events = [message("hello"), write(CLAUDE, []), write(null, []), write(null, ["codex:1"])];
  ringer.ringForWrites(events, () => "claude");
  expect(rung).toEqual(["claude wrote without the stick", "files changed without the stick"]);
});
