/** Which room a command means, for commands that read and commands that act. */

import type { RoomId } from "../../core/ids.ts";
import { isRefusal, type Refusal } from "../../core/refusal.ts";
import { type Outgoing, roomToSendFrom } from "../../mail/room-to-send-from.ts";
import { type FoundRoom, findRoom } from "../../room/find-room.ts";
import type { Room } from "../../room/rules/room.ts";
import type { CliContext, Session } from "./context.ts";

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

export interface Acting extends Session {
  readonly roomId: RoomId;
}

function acting(context: CliContext, session: Session, { roomId, room }: Omit<FoundRoom, "policy">): Acting {
  if (room) context.isAbout({ ...session, room, reads: false });
  return { ...session, roomId };
}

/** For commands that change something in a room that must be there. */
export async function actingIn(context: CliContext): Promise<Acting | Refusal> {
  const session = await context.session();
  if (isRefusal(session)) return session;
  const room = await findRoom(session.deps, wanted(context));
  return isRefusal(room) ? room : acting(context, session, { roomId: room.id, room });
}

/** For messages. If the directory has no room yet, it is created only for a message that can be sent. */
export async function actingToSend(context: CliContext, message: Outgoing): Promise<Acting | Refusal> {
  const session = await context.session();
  if (isRefusal(session)) return session;
  const found = await roomToSendFrom(session.deps, session.caller, wanted(context), message);
  return isRefusal(found) ? found : acting(context, session, found);
}
