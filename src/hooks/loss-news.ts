/**
 * What hooks tell a session about sticks, and places, that others took from it. They look in the rooms where the
 * session is a member, where it works, and where it was told of a loss that is not settled yet.
 */

import { Fault } from "../core/fault.ts";
import type { EventId, RoomId } from "../core/ids.ts";
import { isMember } from "../room/rules/membership.ts";
import type { Room } from "../room/rules/room.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { lossIn, withPolicyChanges } from "../stick/turn-ends.ts";
import { type HookDeps, type News, placeOf } from "./hook-deps.ts";
import type { HookCall } from "./rules/hook.ts";
import { isToBeSaid, isUnsettled, lossText, settledLoss, shownLoss, type ToldLoss } from "./rules/told-loss.ts";

type Told = ReadonlyMap<RoomId, ToldLoss>;

/** `rooms`: those that the caller is a member of. */
export async function lossNews(deps: HookDeps, caller: Caller, call: HookCall, rooms: readonly Room[]): Promise<News> {
  const told = settleLosses(deps, caller, call);
  const now = new Map(told);
  const texts: string[] = [];
  const current = new Set<EventId>();
  for (const room of await roomsToLookAt(deps, call, rooms, told)) {
    const end = room.state.owner === caller.agentId ? null : await lossIn(deps, caller, room);
    const before = told.get(room.id);
    if (end && isToBeSaid(end, before, { atEnd: call.event === "stop" })) {
      texts.push(lossText(await withPolicyChanges(deps, room, end), standingIn(room, caller)));
      now.set(room.id, shownLoss(end, before, isKept(call) ? undefined : call.sign.turn));
    }
    if (end) current.add(end.eventId);
  }
  for (const [roomId, loss] of now) {
    // The session has had the stick again since then, or the room is gone.
    if (isUnsettled(loss) && !current.has(loss.eventId)) now.set(roomId, { ...loss, state: "told" });
  }
  return {
    text: texts.join("\n"),
    remember: () => {
      if (!isSame(now, told)) deps.memory.rememberLosses(caller, now);
      if ([...now.values()].some(isUnsettled)) deps.flags.raise([call.sessionId]);
    },
  };
}

/** Text at the start of a session or a prompt stays in the conversation, even if the turn breaks off. */
function isKept({ event, mailFollows }: HookCall): boolean {
  return event === "session-start" || mailFollows === true;
}

/** The hook's news about the turn settles what was shown in it. Returns what the session has been told by now. */
export function settleLosses({ memory, flags }: HookDeps, caller: Caller, { sign, sessionId }: HookCall): Told {
  const told = recalled(memory, caller);
  const settled = new Map([...told].map(([roomId, loss]) => [roomId, settledLoss(loss, sign)] as const));
  // What a former name was told still counts, and the next hook may not know that name.
  const isFormers = caller.formerId !== null && told.size > recalled(memory, { ...caller, formerId: null }).size;
  if (isFormers || !isSame(settled, told)) memory.rememberLosses(caller, settled);
  if ([...settled.values()].some(isUnsettled)) flags.raise([sessionId]);
  return settled;
}

/** A file that cannot be read counts as empty, because the hook has other things to say, too. */
function recalled(memory: HookDeps["memory"], caller: Caller): Told {
  try {
    return memory.recallLosses(caller);
  } catch (error) {
    if (error instanceof Fault) return new Map();
    throw error;
  }
}

function isSame(a: Told, b: Told): boolean {
  return a.size === b.size && [...a].every(([roomId, loss]) => b.get(roomId) === loss);
}

async function roomsToLookAt(
  deps: HookDeps,
  call: HookCall,
  rooms: readonly Room[],
  told: Told,
): Promise<readonly Room[]> {
  const found = new Map(rooms.map((room) => [room.id, room]));
  const place = await placeOf(deps, call);
  const around = place ? await deps.store.readRooms({ host: deps.host, paths: place.candidates }) : { rooms: [] };
  for (const room of around.rooms) found.set(room.id, room);
  for (const [roomId, loss] of told) {
    if (found.has(roomId) || !isUnsettled(loss)) continue;
    const snapshot = await deps.store.readRoom(roomId);
    if (snapshot) found.set(roomId, snapshot.room);
  }
  return [...found.values()];
}

function standingIn(room: Room, { agentId }: Caller) {
  return { path: room.path, isClosed: room.state.status === "closed", isMember: isMember(room, agentId) };
}
