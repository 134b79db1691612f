import { expect, it } from "vitest";
import { isRefusal } from "../../../../src/core/refusal.ts";
import { listText, stateText } from "../../../../src/surfaces/cli/text/room.ts";
import { createTalkingStick } from "../../../../src/surfaces/library/talking-stick.ts";
import { pageOf } from "../../../support/page.ts";
import { agentCalled } from "../../../support/service-ports.ts";
import { accepted, ServiceWorld } from "../../../support/service-world.ts";

it("a room of another machine is named with that machine, and one of this machine is not", async () => {
  const world = new ServiceWorld();
  const contextPath = world.directory("tree");
  const on = (host: string) => createTalkingStick({ ...world.deps, host }, agentCalled(`claude:${host}`));
  for (const host of ["host-1", "host-2"]) accepted(await on(host).joinPath({ contextPath }));
  const { rooms } = accepted(await on("host-1").listRooms({ contextPath }));
  expect(rooms.map(({ host }) => host).toSorted()).toEqual(["host-1", "host-2"]);
  const listed = listText(rooms, "host-1", { ...pageOf(200), nowMs: world.nowMs, directory: "/" });
  expect(listed.split("\n").filter((line) => line.includes("machine"))).toEqual([
    `idle        ${contextPath} on another machine, host-2`,
  ]);
  for (const { roomId, host } of rooms) {
    const state = await on("host-1").getRoomState({ roomId });
    if (isRefusal(state)) throw new Error(state.message);
    expect(state.room.host).toBe(host);
    const shown = stateText({ ...pageOf(200), ...state, me: null, host: "host-1", nowMs: world.nowMs });
    expect(shown.includes("another machine, host-2")).toBe(host === "host-2");
  }
});
