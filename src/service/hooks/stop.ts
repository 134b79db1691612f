/**
 * The model has finished. What waits for it is shown once by letting the turn go on; so is the reminder that it still
 * holds the stick: once for each turn of the stick, and again only while somebody waits for it. A turn that goes on
 * for a hook already is let end whatever waits, so that no session can be kept from resting.
 */
import type { Caller } from "../../domain/given.ts";
import { stillHeldText } from "../../domain/hooks/brief.ts";
import { isWaiting } from "../../domain/room/liveness.ts";
import type { Room } from "../../domain/room/room.ts";
import { gatherEvidence, givenFor } from "../evidence.ts";
import { noteSession } from "../sessions/note-session.ts";
import { type HookDeps, type HookUseCase, placeOf, SILENCE } from "./hook-deps.ts";
import { waitingMail } from "./waiting-mail.ts";

export const stop: HookUseCase = async (deps, caller, call) => {
  const rest = async () => {
    const place = await placeOf(deps, call);
    if (place) await noteSession(deps, caller, place.project, { activity: "idle", hooked: true });
  };
  if (call.stopHookActive || call.maxCharacters === 0) {
    await rest();
    return SILENCE;
  }
  const held = await heldSticks(deps, caller);
  const reminder = held.map(({ text }) => text).join("\n");
  const room = { ...call, maxCharacters: call.maxCharacters - reminder.length - 1 };
  const mail = await waitingMail(deps, caller, room);
  const goOn = [mail.text, reminder].filter((part) => part !== "").join("\n");
  if (goOn === "") {
    await rest();
    return { afterFlush: mail.afterFlush };
  }
  return {
    goOn,
    afterFlush: async () => {
      await mail.afterFlush();
      for (const {
        room: { id, state },
      } of held)
        deps.memory.rememberReminder(caller, id, state.turnId);
    },
  };
};

interface HeldStick {
  readonly room: Room;
  readonly text: string;
}

/** The sticks of which the session should be reminded. */
async function heldSticks(deps: HookDeps, caller: Caller): Promise<readonly HeldStick[]> {
  const { rooms, moment } = await deps.store.readRooms({ agentId: caller.agentId });
  return rooms.flatMap((room) => {
    const { owner, members, turnId } = room.state;
    if (owner !== caller.agentId) return [];
    const given = givenFor(deps, caller, moment, gatherEvidence(deps, room, moment));
    const waiting = [...members.keys()].filter((agentId) => isWaiting(room, agentId, given)).length;
    const wasTold = deps.memory.recallReminder(caller, room.id) === turnId;
    return wasTold && waiting === 0 ? [] : [{ room, text: stillHeldText(room.path, turnId, waiting) }];
  });
}
