import type { RoomId } from "../core/ids.ts";
import type { Deps } from "./deps.ts";
import type { Call } from "./operation.ts";

/** How long a call waits: as long as wanted, or else as the room allows, and no longer than the caller's client. */
export async function waitLimit(
  { store }: Deps,
  roomId: RoomId,
  { waitMs }: Call,
  wantedMs: number | undefined,
): Promise<{ readonly maxWaitMs?: number }> {
  if (!waitMs) return wantedMs === undefined ? {} : { maxWaitMs: wantedMs };
  const maxWaitMs = wantedMs ?? (await store.readRoom(roomId))?.room.policy.waitMaxMs;
  return maxWaitMs === undefined ? {} : { maxWaitMs: waitMs(maxWaitMs) };
}
