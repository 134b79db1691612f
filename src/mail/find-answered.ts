/**
 * Whom an answer goes to: the mailbox of whoever sent what it answers, be that one in a room now or not. It may have left
 * since, or write by the mailbox protocol, which knows ids and no members.
 */
import { type AgentId, asAgentId, type EventId } from "../core/ids.ts";
import { type Refusal, refuse } from "../core/refusal.ts";
import { wasSentAway } from "../engine/departures.ts";
import type { Deps } from "../engine/deps.ts";
import type { Room } from "../room/rules/room.ts";
import { type Addressee, absent } from "./find-addressee.ts";

/** Null where nothing is answered, or where somebody else is named than the one who is. */
export async function findAnswered(
  deps: Deps,
  room: Room,
  name: string,
  replyTo: EventId | null,
): Promise<Addressee | Refusal | null> {
  const { store } = deps;
  const [cited] = replyTo === null ? [] : await store.readMessages([replyTo]);
  if (!cited?.fromAgentId) return null;
  const to = await store.resolveAlias(cited.fromAgentId);
  if ((await store.resolveAlias(asAgentId(name))) !== to) return null;
  if (room.state.members.has(to)) return { to, elsewhere: [] };
  const { rooms } = await store.readRooms({ project: room.project });
  if (rooms.some(({ state }) => state.members.has(to))) {
    return { to, elsewhere: rooms.filter(({ id }) => id !== room.id) };
  }
  const home = cited.roomId === room.id ? room : (await store.readRoom(cited.roomId))?.room;
  if (home && home.project !== room.project) return otherProject(room, home);
  if (await wasSentAway(deps, { agentId: to, formerId: null }, cited.roomId)) return sentAway(to);
  return (await absent(deps, room, to)) ?? { to, elsewhere: [] };
}

function otherProject({ project }: Room, home: Room): Refusal {
  return refuse(
    "cross_project",
    `What you answer was said in another project, at ${home.path}.`,
    ["Name no room: an answer goes out from the room of its question. Use ", { do: "reply_to_message" }, "."],
    { project, other_project: home.project },
  );
}

function sentAway(agentId: AgentId): Refusal {
  return refuse(
    "unknown_recipient",
    `${agentId} was sent away by a person, and gets no mail until it comes back.`,
    "Nothing has to be answered. If it matters to others, tell the room.",
    { candidates: [] },
  );
}
