/** Which room a command means, for commands that read and commands that act. */

import type { RoomId } from "../../core/ids.ts";
import { isRefusal, type Refusal } from "../../core/refusal.ts";
import { findRoom } from "../../room/find-room.ts";
import type { Room } from "../../room/rules/room.ts";
import type { CliContext, CliSession } from "./context.ts";
import { granted } from "./granted.ts";

function wanted(context: CliContext) {
  return { roomId: context.args.text("room"), contextPath: context.path };
}

/** For reads: no join, no write. */
export async function roomOf(context: CliContext): Promise<Room | Refusal> {
  const deps = await context.deps();
  return isRefusal(deps) ? deps : findRoom(deps, wanted(context));
}

/** For commands that are about no room in particular: a named room must exist anyway. Null if none is named. */
export async function assertNamedRoom(context: CliContext): Promise<Room | null> {
  return context.args.text("room") === undefined ? null : granted(await roomOf(context));
}

/** For commands that change something in a room that must be there. */
export async function actingIn(context: CliContext): Promise<CliSession & { readonly roomId: RoomId }> {
  const session = granted(await context.session());
  const room = granted(await findRoom(session.deps, wanted(context)));
  context.isAbout({ ...session, room, reads: false });
  return { ...session, roomId: room.id };
}
