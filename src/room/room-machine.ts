/** What is told of the machine that a room belongs to: nothing if that is this one. */
import type { Moment } from "../core/time.ts";
import type { Deps } from "../engine/deps.ts";
import { type HeardHosts, machinesSeen, type SeenMachine, silenceFields } from "../session/rules/host-silence.ts";
import type { Room } from "./rules/room.ts";
import type { RoomSummary } from "./rules/view.ts";

/** Reads what was heard of machines only if one of the rooms belongs to another one, and it is not known yet. */
export async function machinesOfRooms(
  { host, hosts }: Deps,
  rooms: readonly Room[],
  moment: Moment,
  known?: HeardHosts,
): Promise<(room: Room) => SeenMachine | null> {
  const heard = rooms.every((room) => room.host === host) ? undefined : (known ?? (await hosts?.others()));
  const sight = { evidence: heard ? { hosts: heard } : {}, moment };
  return (room) =>
    room.host === host ? null : machinesSeen(room.presence.values(), sight)({ host: room.host, bootId: null });
}

export function roomMachineFields(
  machine: SeenMachine | null,
  { instant }: Moment,
): Pick<RoomSummary, "hostName" | "hostSilentMs"> {
  return machine ? { hostName: machine.label, ...silenceFields(machine, instant) } : {};
}
