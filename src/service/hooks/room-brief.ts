import type { Caller } from "../../domain/given.ts";
import { briefText } from "../../domain/hooks/brief.ts";
import { isRefusal } from "../../domain/refusal.ts";
import type { Room } from "../../domain/room/room.ts";
import type { Deps } from "../deps.ts";
import { getRoomState } from "../get-room-state.ts";
import { mailAtAGlance } from "../mail/mail-at-a-glance.ts";
import { holdingSince } from "../newest-events.ts";
import { listNotes } from "../notes.ts";

/** The room as its newest member should know it; empty when the room has vanished meanwhile. */
export async function roomBrief(deps: Deps, caller: Caller, { id: roomId }: Room, arriving: number): Promise<string> {
  const state = await getRoomState(deps, caller, { roomId });
  const snapshot = await deps.store.readRoom(roomId);
  if (isRefusal(state) || !snapshot) return "";
  const notes = await listNotes(deps, { roomId, unresolvedOnly: true });
  const { unread, asked } = await mailAtAGlance(deps, caller);
  return briefText({
    ...state,
    me: caller.agentId,
    arriving,
    since: await holdingSince(deps.store, snapshot.room),
    unread,
    asked: asked.length,
    openNotes: isRefusal(notes) ? 0 : notes.notes.length,
  });
}
