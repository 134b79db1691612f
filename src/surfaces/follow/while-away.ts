/** A store may go away while a console is open, and come back. */
import { Fault } from "../../core/fault.ts";
import type { RoomId } from "../../core/ids.ts";
import { isRefusal } from "../../core/refusal.ts";
import { roomsAround } from "../../room/list-rooms.ts";
import type { CliContext } from "../cli/context.ts";
import { granted } from "../cli/granted.ts";
import { pause } from "./follow-board.ts";

export const TRY_AGAIN_MS = 2000;

interface Away {
  readonly context: CliContext;
  readonly quit: AbortSignal;
  /** Null: any room will do. */
  readonly roomId: RoomId | null;
  readonly tell: (trouble: string) => void;
}

/**
 * Runs the work until it ends by itself. If the store fails, it tells why, and begins again with a store that is opened
 * again, for as long as the person does not quit. Until the store is back it only reads: a change would create an empty
 * one in its place.
 */
export async function whileAway(away: Away, work: () => Promise<void>): Promise<void> {
  const { context, quit, tell } = away;
  for (let isBack = true; !quit.aborted; ) {
    try {
      if (isBack) return await work();
      isBack = await isThere(away);
      if (isBack) continue;
      tell("The store is gone, or another one is in its place. Trying again.");
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      isBack = false;
      tell(`${error.message} Trying again.`);
    }
    await context.close().catch(() => undefined);
    await pause(TRY_AGAIN_MS, quit);
  }
}

export async function isThere({ context, roomId }: Pick<Away, "context" | "roomId">): Promise<boolean> {
  const deps = granted(await context.deps("read"));
  if (roomId !== null) return (await deps.store.readRoom(roomId)) !== null;
  const found = await roomsAround(deps, null, null);
  return !isRefusal(found) && found.rooms.length > 0;
}
