/**
 * Which agent a name means. First come the members of this room, and live sessions of the project that are in no room.
 * Then come the members of other rooms of the project. Last come sessions of the project that have ended and may be
 * resumed. The sender must name such a session by its id or its session id, because its handle may have another owner
 * by now.
 */
import { meansRoom } from "../core/agent-id.ts";
import { type AgentId, asAgentId, type EventId } from "../core/ids.ts";
import { isRefusal, type Refusal, refuse } from "../core/refusal.ts";
import { decodeId } from "../engine/decode.ts";
import { meantToBeOut, wasSentAway } from "../engine/departures.ts";
import type { Deps } from "../engine/deps.ts";
import { alivenessOf, givenFor, joinedEvidence, lookAtRooms } from "../engine/evidence.ts";
import type { RoomSnapshot } from "../engine/ports/store.ts";
import { findRecipient, type RecipientRefusal } from "../room/rules/recipient.ts";
import type { Room } from "../room/rules/room.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import type { Presence, Session } from "../session/rules/session.ts";
import { outsideRecipients } from "./outside-sessions.ts";

export type AddresseeRefusal = RecipientRefusal | "cross_project";

export interface Addressee {
  readonly to: AgentId | "room";
  /** The other rooms in which it was found. */
  readonly elsewhere: readonly Room[];
  /** The agent itself, if it is in no room because its session is over. */
  readonly away?: ReadonlySet<AgentId>;
  /** For a message to the room: live sessions in its directory that are in no room. */
  readonly outside?: readonly AgentId[];
}

export async function findAddressee(
  deps: Deps,
  caller: Caller,
  { room, moment }: Pick<RoomSnapshot, "room" | "moment">,
  name: string,
): Promise<Addressee | Refusal<AddresseeRefusal | "invalid_input">> {
  if (meansRoom(name)) return { to: "room", elsewhere: [] };
  const decoded = decodeId("to", name);
  if (isRefusal(decoded)) return decoded;
  const present = await deps.store.resolveAlias(decoded as AgentId);
  // An exact id always wins, whether its agent is alive or not, so no process has to be looked at.
  if (room.state.members.has(present)) return { to: present, elsewhere: [] };
  const find = async (rooms: readonly Room[], outside: readonly Session[] = []) => {
    const seen = await lookAtRooms(deps, { rooms, moment }, caller);
    const given = givenFor(deps, caller, moment, joinedEvidence(seen.map((sight) => sight.given.evidence)));
    return findRecipient(rooms, given, present, tmuxSessionsOf(deps, rooms), outside);
  };
  const member = await find([room]);
  // Only the name of a harness can mean both a member and a session that is in no room.
  if (!isRefusal(member) && !isNamedByHarness(room, member, present)) return { to: member, elsewhere: [] };
  const outside = await outsideRecipients(deps, caller, room);
  const here = outside.length > 0 ? await find([room], outside) : member;
  if (!isRefusal(here)) return { to: here, elsewhere: [] };
  if (here.error === "ambiguous_recipient") return here;
  const { rooms } = await deps.store.readRooms({ project: room.project });
  const found = await find(rooms, outside);
  if (!isRefusal(found)) return { to: found, elsewhere: rooms.filter(({ id }) => id !== room.id) };
  return (await absent(deps, room, present)) ?? (await findInOtherProject(deps, present, room)) ?? found;
}

function isNamedByHarness({ state, presence }: Room, agentId: AgentId, name: AgentId): boolean {
  return state.members.get(agentId)?.harness === String(name) && presence.get(agentId)?.handle !== String(name);
}

/**
 * A session that has ended, or has lost its place, gets its mail when it is resumed. A session that left on purpose, or
 * that a person removed, does not.
 */
export async function absent(deps: Deps, room: Room, name: AgentId): Promise<Addressee | null> {
  const sessions = await deps.store.readSessions(room.project);
  const named = sessions.find(
    ({ agentId, sessionId }) => sessionId !== null && (agentId === name || sessionId === String(name)),
  );
  if (!named) return null;
  const to = await deps.store.resolveAlias(named.agentId);
  const [meantTo] = await meantToBeOut(deps, [{ agentId: to, formerId: null }], room.id);
  return meantTo
    ? null
    : { to, elsewhere: [], away: new Set(alivenessOf(deps, named, room.policy).isOver ? [to] : []) };
}

/** Asks tmux only if a member runs in a pane. */
function tmuxSessionsOf(deps: Deps, rooms: readonly Room[]): ReadonlyMap<string, string> {
  const inPanes = rooms.some(({ presence }) => [...presence.values()].some(({ tmuxPane }) => tmuxPane !== null));
  return inPanes ? deps.tmuxSessions() : new Map();
}

/**
 * An agent of another project, by any name that works in that project. The name of a harness does not count, because
 * every project has agents of it.
 */
async function findInOtherProject(
  deps: Deps,
  name: AgentId,
  { project }: Room,
): Promise<Refusal<"cross_project"> | null> {
  const { rooms } = await deps.store.readRooms({});
  const others = rooms.filter((room) => room.project !== project);
  const tmuxSessions = tmuxSessionsOf(deps, others);
  const theirs = others.find(
    ({ state, presence }) =>
      state.members.has(name) ||
      [...presence.values()].some((one) => namesOf(one, tmuxSessions).includes(String(name))),
  );
  if (theirs) return crossProject(name, project, theirs);
  for (const other of new Map(others.map((room) => [room.project, room])).values()) {
    const sessions = await deps.store.readSessions(other.project);
    if (sessions.some(({ sessionId }) => sessionId === String(name))) return crossProject(name, project, other);
  }
  return null;
}

function namesOf(
  { handle, sessionId, tmuxPane }: Presence,
  tmuxSessions: ReadonlyMap<string, string>,
): readonly (string | null | undefined)[] {
  return [handle, sessionId, tmuxPane === null ? null : tmuxSessions.get(tmuxPane)];
}

function crossProject(name: AgentId, project: string, theirs: Room): Refusal<"cross_project"> {
  return refuse(
    "cross_project",
    `${JSON.stringify(name)} works in another project, at ${theirs.path}.`,
    "Messages stay within a project. Name an agent of this one.",
    { project, other_project: theirs.project },
  );
}

/**
 * A reply goes to the mailbox of the agent that sent the message. That agent may have left since, or may use the
 * mailbox protocol, which has ids but no members. Null if this is no reply, or if `name` is another agent.
 */
export async function findAnswered(
  deps: Deps,
  room: Room,
  name: string,
  replyTo: EventId | null,
): Promise<Addressee | Refusal<AddresseeRefusal> | null> {
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

function otherProject({ project }: Room, home: Room): Refusal<"cross_project"> {
  return refuse(
    "cross_project",
    `The message that you answer belongs to another project, at ${home.path}.`,
    [
      "Leave the room out: an answer is sent from the room of the message that it answers. Use ",
      { do: "reply_to_message" },
      ".",
    ],
    { project, other_project: home.project },
  );
}

function sentAway(agentId: AgentId): Refusal<"unknown_recipient"> {
  return refuse(
    "unknown_recipient",
    `A person removed ${agentId} from the room. It gets no mail until it joins again.`,
    "It needs no answer. If the others should know, send it to the room.",
    { candidates: [] },
  );
}
