/** Whom a name means: somebody in this room, else somebody in its project. */
import type { Caller } from "../../domain/given.ts";
import type { AgentId } from "../../domain/ids.ts";
import { isRefusal, type Refusal, refuse } from "../../domain/refusal.ts";
import { findRecipient } from "../../domain/room/recipient.ts";
import type { Room } from "../../domain/room/room.ts";
import type { RoomSnapshot } from "../../ports/store.ts";
import { decodeId } from "../decode.ts";
import type { Deps } from "../deps.ts";
import { gatherEvidence, givenFor } from "../evidence.ts";

export interface Addressee {
  readonly to: AgentId | "room";
  /** The other rooms in which it was found. */
  readonly elsewhere: readonly Room[];
}

export async function findAddressee(
  deps: Deps,
  caller: Caller,
  { room, moment }: RoomSnapshot,
  name: string,
): Promise<Addressee | Refusal> {
  if (name === "room") return { to: "room", elsewhere: [] };
  const decoded = decodeId("to", name);
  if (isRefusal(decoded)) return decoded;
  const present = await deps.store.resolveAlias(decoded as AgentId);
  // An exact id wins whatever its agent does, so nobody's process has to be looked at.
  if (room.state.members.has(present)) return { to: present, elsewhere: [] };
  const find = (rooms: readonly Room[]): AgentId | Refusal => {
    const evidence = gatherEvidence(deps, room, moment, [...room.state.members.keys()]);
    const given = givenFor(deps, caller, moment, evidence);
    return findRecipient(rooms, given, present, tmuxSessionsOf(deps, rooms));
  };
  const here = find([room]);
  if (!isRefusal(here)) return { to: here, elsewhere: [] };
  if (here.error === "ambiguous_recipient") return here;
  const { rooms } = await deps.store.readRooms({ project: room.project });
  const found = find(rooms);
  if (!isRefusal(found)) return { to: found, elsewhere: rooms.filter(({ id }) => id !== room.id) };
  return (await strangerWith(deps, present, room)) ?? found;
}

/** Panes are only asked about when somebody shows itself in one. */
function tmuxSessionsOf(deps: Deps, rooms: readonly Room[]): ReadonlyMap<string, string> {
  const inPanes = rooms.some(({ presence }) => [...presence.values()].some(({ tmuxPane }) => tmuxPane !== null));
  return inPanes ? deps.tmuxSessions() : new Map();
}

async function strangerWith(deps: Deps, name: AgentId, { project }: Room): Promise<Refusal | null> {
  const { rooms } = await deps.store.readRooms({});
  const theirs = rooms.find(
    (room) =>
      room.project !== project &&
      (room.state.members.has(name) || [...room.presence.values()].some(({ handle }) => handle === String(name))),
  );
  if (!theirs) return null;
  return refuse(
    "cross_project",
    `${JSON.stringify(name)} works in another project, at ${theirs.path}.`,
    "Messages stay within a project. Name somebody of this one.",
    { project, other_project: theirs.project },
  );
}
