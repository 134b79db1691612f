import { isRefusal } from "../core/refusal.ts";
import type { Deps } from "../engine/deps.ts";
import { holdingSince } from "../engine/newest-events.ts";
import { mailAtAGlance } from "../mail/mail-watch.ts";
import { roomState } from "../room/get-room-state.ts";
import type { Room } from "../room/rules/room.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { briefText } from "./rules/brief.ts";

/** The room as its newest member should know it; empty when the room has vanished meanwhile. */
export async function roomBrief(deps: Deps, caller: Caller, { id: roomId }: Room, arriving: number): Promise<string> {
  const state = await roomState(deps, caller, roomId);
  const snapshot = await deps.store.readRoom(roomId);
  if (isRefusal(state) || !snapshot) return "";
  const { unread, asked } = await mailAtAGlance(deps, caller);
  return briefText({
    ...state,
    me: caller.agentId,
    arriving,
    since: await holdingSince(deps.store, snapshot.room),
    unread,
    asked: asked.length,
    openNotes: await deps.store.countOpenNotes(roomId),
  });
}
