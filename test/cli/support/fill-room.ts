/** Changes a room many times at once, as a long day leaves it, without a process for each change. */
import { openDeps } from "../../../src/app/open.ts";
import { asLeaseId, asRoomId } from "../../../src/core/ids.ts";
import { isRefusal } from "../../../src/core/refusal.ts";
import { begin, type Change } from "../../../src/room/rules/change.ts";
import { type Given, NO_EVIDENCE } from "../../../src/session/rules/decision-input.ts";
import { OBSERVER } from "../../../src/session/rules/observer.ts";
import type { CliWorld } from "./cli-world.ts";

const AT_ONCE = 500;

/** `changeOne` is called `count` times, with the number of the time. */
export async function fillRoom(
  world: CliWorld,
  count: number,
  changeOne: (change: Change, given: Given, index: number) => Change,
): Promise<void> {
  const deps = await openDeps(world.env());
  if (isRefusal(deps)) throw new Error(deps.message);
  const { room_id: roomId } = ((await world.done("state --json")).json() as { room: { room_id: string } }).room;
  for (let done = 0; done < count; done += AT_ONCE) {
    const given = {
      evidence: NO_EVIDENCE,
      caller: OBSERVER,
      commandId: `fill-${done}`,
      freshLeaseId: asLeaseId("none"),
    };
    await deps.store.change({ roomId: asRoomId(roomId) }, ({ room, moment }) => {
      let change = begin(room);
      for (let index = done; index < Math.min(done + AT_ONCE, count); index += 1) {
        change = changeOne(change, { ...given, moment }, index);
      }
      return { change, answer: null };
    });
  }
  await deps.bell.close();
  await deps.store.close();
}
