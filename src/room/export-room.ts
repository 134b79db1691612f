import { LIMITS } from "../core/limits.ts";
import type { Deps } from "../engine/deps.ts";
import { lookAtRoom } from "../engine/evidence.ts";
import type { Room } from "./rules/room.ts";
import { afterSleep } from "./rules/settle.ts";
import { detailOf } from "./rules/view.ts";

/** Everything that is kept of a room, record by record: the room, its log as it is stored, its notes. No secrets. */
export async function* exportRoom(deps: Deps, room: Room): AsyncGenerator<object> {
  const moment = (await deps.store.readRoom(room.id))?.moment ?? deps.clock.now();
  const given = await lookAtRoom(deps, { room, moment });
  const detail = detailOf(afterSleep(room, moment), given);
  yield { type: "room", room: { ...detail, policy: room.policy, createdAt: room.createdAt } };
  let cursor = 0;
  for (;;) {
    const events = await deps.store.readEvents(room.id, cursor, LIMITS.eventsPerRead);
    for (const { seq, type, ...event } of events) {
      yield { type: "event", event: { eventSeq: seq, eventType: type, ...event } };
    }
    const last = events.at(-1);
    if (!last || last.seq >= room.state.lastSeq) break;
    cursor = last.seq;
  }
  const notes = await deps.store.readNotes(room.id, Number.MAX_SAFE_INTEGER, { unresolvedOnly: false });
  for (const note of notes) yield { type: "note", note };
}
