/** The file in guard/on that makes the shell of a hook ask about a room. Each one that is too many costs every tool time. */

import { describe, expect, it } from "vitest";
import { asRoomId } from "../../src/core/ids.ts";
import { pruneRooms } from "../../src/room/prune-rooms.ts";
import { GuardService } from "./guard-service.ts";

const switchesOf = ({ guardDeps }: GuardService) => guardDeps.guard.guardedRooms().map(({ roomId }) => roomId);

describe("a guarded room", () => {
  it("loses its switch when it is closed, and gets it back when it is reopened", async () => {
    const world = new GuardService();
    const roomId = await world.setMode("deny");
    expect(switchesOf(world)).toEqual([roomId]);
    await world.person.closeRoom({ roomId });
    expect(switchesOf(world)).toEqual([]);
    await world.person.joinPath({ contextPath: world.tree });
    expect(switchesOf(world)).toEqual([roomId]);
  });

  it("that is closed gets no switch from a change that leaves it closed", async () => {
    const world = new GuardService();
    const roomId = await world.setMode("deny");
    await world.person.closeRoom({ roomId });
    await world.person.closeRoom({ roomId });
    await world.person.leaveRoom({ roomId });
    expect(switchesOf(world)).toEqual([]);
  });

  it("keeps its switch if it is reopened before the process that closed it has removed the switch", async () => {
    const world = new GuardService();
    const roomId = await world.setMode("deny");
    const { guard } = world.guardDeps;
    const afterwards = world.guardDeps.afterCommit ?? [];
    const reopening = {
      name: "another process reopens the room",
      run: async () => {
        world.deps = { ...world.guardDeps, afterCommit: afterwards };
        await world.person.joinPath({ contextPath: world.tree });
      },
    };
    world.deps = { ...world.guardDeps, afterCommit: [reopening, ...afterwards] };
    await world.person.closeRoom({ roomId });
    expect(guard.guardedRooms()).toEqual([{ roomId, path: world.tree }]);
  });

  it("is not removed by tt prune, because hooks would take it for lost", async () => {
    const world = new GuardService();
    world.deps = { ...world.guardDeps, policy: { ...world.guardDeps.policy, guard: "deny" } };
    const { roomId } = (await world.person.joinPath({ contextPath: world.tree })) as { roomId: string };
    expect(switchesOf(world)).toEqual([roomId]);
    await world.person.leaveRoom({ roomId });
    await pruneRooms(world.deps, { idleForMs: 0, carryOut: true });
    expect(await world.deps.store.readRoom(asRoomId(roomId))).not.toBeNull();
  });
});
