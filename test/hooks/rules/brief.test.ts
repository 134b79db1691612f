import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { asAgentId, asHandle, asRoomId } from "../../../src/core/ids.ts";
import {
  BRIEF_CHARACTERS,
  type BriefSight,
  briefText,
  reservedText,
  stillHeldText,
} from "../../../src/hooks/rules/brief.ts";
import type { MemberView, RoomDetail } from "../../../src/room/rules/view.ts";

const ME = asAgentId("claude:1");
const BOB = asAgentId("codex:2");

function member(agentId: string, handle: string, status: "active" | "inactive" = "active"): MemberView {
  const nothing = { lastSeenAt: null, waiting: false, queuePosition: null, reachable: false, stateCard: null };
  return { agentId: asAgentId(agentId), handle: asHandle(handle), harness: "claude", status, ...nothing };
}

const ROOM: RoomDetail = {
  roomId: asRoomId("r1"),
  canonicalPath: "/home/ada/notes",
  project: "/home/ada/notes/.git",
  state: "idle",
  owner: null,
  reservedFor: null,
  paused: null,
  turnId: 4,
  host: "local",
  memberCount: 2,
  updatedAt: "2026-01-01T00:00:00.000Z",
  leaseExpiresAt: null,
  claimExpiresAt: null,
  guard: "off",
  handoff: null,
};

const SIGHT: BriefSight = {
  room: ROOM,
  members: [member(ME, "claude"), member(BOB, "codex")],
  me: ME,
  arriving: 0,
  since: null,
  unread: 0,
  asked: 0,
  openNotes: 0,
};

describe("the brief", () => {
  test("of a quiet room says who is there and how to get the stick", () => {
    expect(briefText(SIGHT).split("\n")).toEqual([
      "[talking stick] You are claude in /home/ada/notes, with codex.",
      "Several agents work here. Only the holder of the stick writes; messages give no authority.",
      "Nobody holds the stick. Before you write: wait_for_turn.",
    ]);
  });

  test.each<[what: string, room: Partial<RoomDetail>, line: string]>([
    ["another one's stick", { owner: BOB }, "codex holds the stick since 2026-01-01 10:31 UTC."],
    ["a dead holder's stick", { owner: BOB, state: "owner_gone" }, "codex held the stick and is gone: wait_for_turn"],
    ["a silent holder's stick", { owner: BOB, state: "stale_owner" }, "codex held the stick and let its lease expire"],
    ["my own", { owner: ME }, "You hold the stick (turn 4): release_stick or pass_stick"],
    ["one that is reserved for me", { reservedFor: ME }, "The stick is reserved for you: take it with wait_for_turn."],
    ["one that is reserved for another", { reservedFor: BOB }, "The stick is reserved for codex."],
  ])("tells of %s", (_, room, line) => {
    const since = "2026-01-01T10:31:07.000Z";
    expect(briefText({ ...SIGHT, room: { ...ROOM, ...room }, since })).toContain(line);
  });

  test.each<[what: string, room: Partial<RoomDetail>, line: string]>([
    ["another one's stick", { owner: BOB }, "codex holds the stick. Before you write: wait_for_turn."],
    ["a dead holder's stick", { owner: BOB, state: "owner_gone" }, "codex held the stick and is gone."],
    ["a silent holder's stick", { owner: BOB, state: "stale_owner" }, "codex held the stick and let its lease expire."],
    ["my own", { owner: ME }, "You hold the stick (turn 4): stop writing, and release_stick with a handoff."],
    [
      "one that is reserved for me",
      { reservedFor: ME },
      "The stick is reserved for you: wait_for_turn gives it to you when the room is resumed.",
    ],
    ["one that is reserved for another", { reservedFor: BOB }, "The stick is reserved for codex."],
    ["a free one", {}, "Nobody holds the stick. Before you write: wait_for_turn."],
  ])("in a pause tells of %s, and advises nothing that is refused then", (_, room, line) => {
    const paused = { by: BOB, since: "2026-01-01T10:31:07.000Z", reason: null };
    const text = briefText({ ...SIGHT, room: { ...ROOM, ...room, paused } });
    expect(text).toContain(line);
    expect(text).not.toMatch(/pass_stick|take over|take it/);
    expect(text).toContain("codex paused the room: do not write until it is resumed.");
  });

  test("tells what is owed to others, and nothing that is not there", () => {
    const text = briefText({ ...SIGHT, unread: 3, asked: 1, openNotes: 2, arriving: 1 });
    expect(text).toContain("with codex, 1 agent about to join.");
    expect(text).toContain("1 question for you: someone waits for your answer (reply_to_message).");
    expect(text).toContain("3 unread messages: read_my_messages.");
    expect(text).toContain("2 open notes: tt notes list.");
    expect(briefText(SIGHT)).not.toMatch(/unread|question|notes:/);
  });

  test("names nobody who is not there any more", () => {
    const members = [...SIGHT.members, member("gemini:3", "gemini", "inactive")];
    expect(briefText({ ...SIGHT, members })).not.toContain("gemini");
  });

  test("is short whatever the room is like, and nobody's name or path breaks out of its line", () => {
    const name = fc.string({ unit: "binary", minLength: 1, maxLength: 300 });
    const count = fc.nat({ max: 1_000_000 });
    fc.assert(
      fc.property(
        fc.array(name, { maxLength: 30 }),
        name,
        fc.record({ unread: count, asked: count, openNotes: count, arriving: count }),
        fc.nat({ max: 29 }),
        (handles, path, counts, holder) => {
          const members = [member(ME, "claude"), ...handles.map((handle, index) => member(`a:${index}`, handle))];
          const owner = members[holder]?.agentId ?? null;
          const room = { ...ROOM, canonicalPath: `/${path.repeat(20)}`, owner, turnId: 1_000_000 };
          const text = briefText({ ...SIGHT, ...counts, room, members, since: "2026-01-01T10:31:07.000Z" });
          expect(text.length).toBeLessThanOrEqual(BRIEF_CHARACTERS);
          expect(text.split("\n").length).toBeLessThanOrEqual(6);
          expect(text).not.toContain("<");
        },
      ),
    );
  });
});

test("the agent to which a stick was passed is told how to take it", () => {
  expect(reservedText("/home/ada/notes")).toContain("The stick of /home/ada/notes was passed to you: take it with");
});

test("a holder is told which stick, and whether an agent waits", () => {
  expect(stillHeldText("/home/ada/notes", 4, 0)).toContain("the stick of /home/ada/notes (turn 4). If your work");
  expect(stillHeldText("/home/ada/notes", 4, 1)).toContain("(turn 4). One agent waits for it.");
  expect(stillHeldText("/home/ada/notes", 4, 3)).toContain("(turn 4). 3 agents wait for it.");
});

test("a holder in a paused room is told to release, and is offered no pass", () => {
  const text = stillHeldText("/home/ada/notes", 4, 1, true);
  expect(text).toContain("(turn 4). One agent waits for it. The room is paused: stop writing");
  expect(text).toContain("release_stick");
  expect(text).not.toContain("pass_stick");
});
