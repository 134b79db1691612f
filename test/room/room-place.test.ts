import { expect, it } from "vitest";
import type { Deps } from "../../src/engine/deps.ts";
import { placeOf } from "../../src/room/room-place.ts";
import type { Room } from "../../src/room/rules/room.ts";

/** A room whose directory is gone. */
const goneRoom = (name: string, turnHead: string | null) =>
  ({
    id: name,
    path: `/gone/${name}`,
    project: `/gone/${name}/.git`,
    createdAt: "2026-01-01T00:00:00.000Z",
    state: { handoff: null, turnHead },
  }) as unknown as Room;

const HERE = { roomId: null, path: "/w/new", project: "/w/new/.git", isNew: true };

/** In the order of the store. Also which commits git was asked for. */
async function placeAmong(rooms: readonly Room[]) {
  const asked: string[] = [];
  const deps = {
    host: "local",
    store: { readRooms: async ({ paths }: { paths?: unknown }) => ({ rooms: paths === undefined ? rooms : [] }) },
    workspace: {
      isThere: () => false,
      hadCommit: async (_: string, commit: string) => {
        asked.push(commit);
        return commit === "ours";
      },
    },
  } as unknown as Deps;
  return { place: await placeOf(deps, HERE), asked };
}

it("rooms without a commit do not keep the room that was renamed from being found", async () => {
  const empty = Array.from({ length: 8 }, (_, index) => goneRoom(`empty-${index}`, null));
  const { place, asked } = await placeAmong([...empty, goneRoom("old", "ours")]);
  expect(place).toEqual({ formerly: { roomId: "old", canonicalPath: "/gone/old" } });
  expect(asked).toEqual(["ours"]);
});

it("git is asked about five vanished rooms at most", async () => {
  const others = Array.from({ length: 8 }, (_, index) => goneRoom(`other-${index}`, `commit-${index}`));
  const { place, asked } = await placeAmong([...others, goneRoom("old", "ours")]);
  expect(place).toEqual({});
  expect(asked).toHaveLength(5);
});
