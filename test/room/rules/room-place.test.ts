import { expect, it } from "vitest";
import type { Room } from "../../../src/room/rules/room.ts";
import { lastHeadOf, repositoryWithin, surroundingRoom } from "../../../src/room/rules/room-place.ts";

const roomAt = (path: string, status = "idle") =>
  ({
    id: path,
    path,
    presence: new Map(),
    state: { status, owner: null, reservation: null, paused: null, handoff: null, turnHead: null },
  }) as unknown as Room;

it("the deepest open room around a path is the one that a person means", () => {
  const rooms = [roomAt("/"), roomAt("/w"), roomAt("/w/proj"), roomAt("/w/proj/sub", "closed"), roomAt("/w/pro")];
  expect(surroundingRoom(rooms, "/w/proj/sub/deep")?.canonicalPath).toBe("/w/proj");
  expect(surroundingRoom(rooms, "/w/proj")?.canonicalPath).toBe("/w");
  expect(surroundingRoom(rooms, "/v")?.canonicalPath).toBe("/");
  expect(surroundingRoom([roomAt("/w/pro")], "/w/proj")).toBeNull();
});

it("the last commit is that of the handoff, else that of the turn", () => {
  const room = roomAt("/w");
  const handoff = { handoff: { evidence: { head: "newer" } } };
  expect(lastHeadOf(room)).toBeNull();
  expect(lastHeadOf({ ...room, state: { ...room.state, turnHead: "begun" } })).toBe("begun");
  expect(lastHeadOf({ ...room, state: { ...room.state, turnHead: "begun", handoff } } as unknown as Room)).toBe(
    "newer",
  );
});

it.each([
  ["/w", "/w/.git", "/.git"],
  ["/w", "/w", ""],
  ["/wt", "/w/.git", null],
  ["/w", "/w2/.git", null],
  ["/w", "example.org/team/app", null],
])("the repository of %s in %s lies within it at %s", (path, project, within) => {
  expect(repositoryWithin({ path, project })).toBe(within);
});
