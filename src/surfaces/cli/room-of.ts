/** Which room a command means, for commands that read and commands that act. */

import type { RoomId } from "../../core/ids.ts";
import { isRefusal, type Refusal } from "../../core/refusal.ts";
import { findRoom } from "../../room/find-room.ts";
import type { Room } from "../../room/rules/room.ts";
import type { CliContext, CliSession } from "./context.ts";

function wanted(context: CliContext) {
  return { roomId: context.args.text("room"), contextPath: context.path };
}

/** For reads: no join, no write. */
export async function roomOf(context: CliContext): Promise<Room | Refusal> {
  const deps = await context.deps();
  return isRefusal(deps) ? deps : findRoom(deps, wanted(context));
}

/** For commands that are about no room in particular: a named room must exist anyway. Null if it does. */
export async function missingRoom(context: CliContext): Promise<Refusal | null> {
  if (context.args.text("room") === undefined) return null;
  const room = await roomOf(context);
  return isRefusal(room) ? room : null;
}

/** For commands that change something in a room that must be there. */
export async function actingIn(context: CliContext): Promise<(CliSession & { readonly roomId: RoomId }) | Refusal> {
  const session = await context.session();
  if (isRefusal(session)) return session;
  const room = await findRoom(session.deps, wanted(context));
  if (isRefusal(room)) return room;
  context.isAbout({ ...session, room, reads: false });
  return { ...session, roomId: room.id };
}
