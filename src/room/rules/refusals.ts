/** Refusals that several room commands share. */

import { isPersonsName } from "../../core/agent-id.ts";
import { LIMITS } from "../../core/limits.ts";
import type { Next } from "../../core/next.ts";
import { type Refusal, refuse } from "../../core/refusal.ts";
import type { Caller, Given } from "../../session/rules/decision-input.ts";
import { stateOf } from "./derived-state.ts";
import type { Room } from "./room.ts";

export function roomNotFound(roomId: string): Refusal<"room_not_found"> {
  return refuse(
    "room_not_found",
    `There is no room ${JSON.stringify(roomId)}.`,
    [...moreOf(roomId), "List the rooms: ", { do: "list_rooms" }, ". Or join the directory: ", { do: "join_path" }],
    { room_id: roomId },
  );
}

/** What is too short to be looked for as the beginning of an id may be one. */
export function moreOf(id: string): readonly string[] {
  const { idPrefixCharacters: least } = LIMITS;
  return id.length < least ? [`Give at least the first ${least} characters of an id. `] : [];
}

export function roomClosed(
  { id, path }: Pick<Room, "id" | "path">,
  caller: Pick<Caller, "isPerson">,
): Refusal<"room_closed"> {
  return refuse("room_closed", `The room at ${path} is closed.`, reopening(caller), {
    room_id: id,
    canonical_path: path,
  });
}

/** Only a person closes a room, for a reason. So an agent asks before it goes on; a person may reopen the room. */
export function reopening({ isPerson }: Pick<Caller, "isPerson">, closedBy = "A person"): Next {
  if (isPerson) return ["Join the room to reopen it: ", { do: "join_path" }];
  return [`${closedBy} closed it. Ask the person you work for before you reopen it: `, { do: "join_path" }];
}

/**
 * Whether a pause keeps the stick from the caller. A person may take it: it is a person who pauses. A person who works in
 * the name of an agent waits as that agent does.
 */
export function isHeldBack(
  { state }: Pick<Room, "state">,
  { isPerson, agentId }: Pick<Caller, "isPerson" | "agentId">,
): boolean {
  return state.paused !== null && !(isPerson && isPersonsName(agentId));
}

export function roomPaused({ path, state }: Room, next: Next): Refusal<"room_paused"> {
  const { by, since, reason } = state.paused ?? { by: null, since: null, reason: null };
  return refuse("room_paused", `The room at ${path} is paused.`, next, { paused_by: by, paused_since: since, reason });
}

export function unknownMember(room: Room, given: Given): Refusal<"unknown_member"> {
  return refuse(
    "unknown_member",
    `${given.caller.agentId} is not a member of the room at ${room.path}.`,
    ["Join the room first: ", { do: "join_path" }],
    { agent_id: given.caller.agentId, room_id: room.id },
  );
}

/** `instead`: what the caller can do by itself. */
export function notAuthorized(what: string, instead: string): Refusal<"not_authorized"> {
  return refuse(
    "not_authorized",
    `Only a person at a terminal may ${what}.`,
    `Ask the person you work for to do it, or ${instead}.`,
  );
}

/** Another agent acted between what the caller saw and its command. */
export function turnMismatch(room: Room, given: Given, expectedTurnId: number): Refusal<"turn_mismatch"> {
  return refuse(
    "turn_mismatch",
    `The room is at turn ${room.state.turnId}, not ${expectedTurnId}.`,
    ["Another agent acted first. Look at the room: ", { do: "get_room_state" }],
    stickFacts(room, given),
  );
}

/** The facts that every refused holder's call carries. */
export function stickFacts(room: Room, given: Given) {
  return {
    current_owner: room.state.owner,
    current_turn_id: room.state.turnId,
    room_state: stateOf(room, given),
  };
}
