import { expect, it } from "vitest";
import { asRoomId } from "../../src/core/ids.ts";
import { accepted, ServiceWorld } from "../support/service-world.ts";

const MINUTE = 60_000;

it.each(["takeMessages", "receiveMessages"] as const)(
  "a holder that reads its mail renews its lease: %s",
  async (call) => {
    const world = new ServiceWorld({ leaseTtlMs: 30 * MINUTE });
    const [a, b] = [world.as("a"), world.as("b")];
    const { roomId } = accepted(await a.joinPath({ contextPath: world.directory("project") }));
    accepted(await b.joinPath({ contextPath: world.directory("project") }));
    accepted(await a.waitForTurn({ roomId, maxWaitMs: 0 }));
    const leftMs = async () =>
      ((await world.deps.store.readRoom(asRoomId(roomId)))?.room.lease?.deadline.ms ?? 0) - world.nowMs;
    const read = async (from: typeof a) => {
      const taken = accepted(await from[call]({}));
      await taken.confirm();
    };
    world.nowMs += 20 * MINUTE;
    accepted(await b.sendMessage({ roomId, to: "a", body: "hello" }));
    await read(a);
    expect(await leftMs()).toBe(30 * MINUTE);
    // Another agent that reads renews nothing, nor does the holder within a moment.
    accepted(await a.sendMessage({ roomId, to: "b", body: "hello" }));
    world.nowMs += 100;
    await read(b);
    expect(await leftMs()).toBe(30 * MINUTE - 100);
  },
);
