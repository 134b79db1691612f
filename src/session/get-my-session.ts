import { type AgentId, asRoomId, type Handle, type RoomId } from "../core/ids.ts";
import type { Next } from "../core/next.ts";
import { isRefusal, type Refusal } from "../core/refusal.ts";
import type { Deps } from "../engine/deps.ts";
import { ownNames } from "../engine/evidence.ts";
import { locate } from "../engine/locate.ts";
import type { Room } from "../room/rules/room.ts";
import {
  callerOf,
  type Identification,
  type Identity,
  type StrategyName,
  type StrategyOutcome,
} from "./rules/identity.ts";

export interface GetMySessionInput {
  /** The directory, or the room, that the answer is about. */
  readonly contextPath: string;
  readonly roomId?: string | undefined;
  readonly explain?: boolean;
}

export interface MySession {
  readonly agentId: AgentId;
  /** Null for an agent that is not a member of any room in the project. */
  readonly handle: Handle | null;
  readonly harness: string;
  readonly sessionId: string | null;
  readonly idSource: StrategyName;
  readonly verified: boolean;
  /** The room it is a member of here. */
  readonly roomId: RoomId | null;
  readonly strategies?: readonly StrategyOutcome[];
  readonly next?: Next;
}

/** Who the caller is, and by which evidence. Changes nothing. */
export async function getMySession(
  deps: Deps,
  identification: Identification,
  input: GetMySessionInput,
): Promise<MySession | Refusal> {
  const { identity, strategies, next } = identification;
  const explained = input.explain === true;
  if (isRefusal(identity)) return explained ? withReasons(identity, strategies) : identity;
  const { handle, room } = await membershipOf(deps, identity, input);
  const { agentId, harness, sessionId, idSource, verified } = identity;
  return {
    agentId,
    handle,
    harness,
    sessionId,
    idSource,
    verified,
    roomId: room?.id ?? null,
    ...(explained && { strategies }),
    ...(next !== undefined && { next }),
  };
}

/** A caller that nobody can name needs the reasons most. */
function withReasons(refusal: Refusal, strategies: readonly StrategyOutcome[]): Refusal {
  const reasons = strategies.map(({ name, outcome, reason }) => ({ name, outcome, reason }));
  return { ...refusal, facts: { ...refusal.facts, strategies: reasons } };
}

async function membershipOf(deps: Deps, identity: Identity, input: GetMySessionInput) {
  const names = ownNames(callerOf(identity));
  const { rooms, here } = await roomsAround(deps, names, input);
  const handles = rooms.flatMap((room) => names.flatMap((name) => room.presence.get(name)?.handle ?? []));
  return { handle: handles[0] ?? null, room: here };
}

/** The project's rooms in which the caller is a member, and the one among them that is meant. */
async function roomsAround(deps: Deps, names: readonly AgentId[], input: GetMySessionInput) {
  if (input.roomId !== undefined) {
    const room = (await deps.store.readRoom(asRoomId(input.roomId)))?.room;
    const here = room && names.some((name) => room.state.members.has(name)) ? room : null;
    return { rooms: here ? [here] : [], here };
  }
  const place = await locate(deps, input.contextPath);
  if (isRefusal(place)) return { rooms: [], here: null };
  const found = await Promise.all(names.map((agentId) => deps.store.readRooms({ project: place.project, agentId })));
  const rooms = found.flatMap((answer) => answer.rooms);
  const isHere = (path: string) => (room: Room) => room.host === deps.host && room.path === path;
  const here = place.candidates.flatMap((path) => rooms.find(isHere(path)) ?? []).at(0) ?? null;
  return { rooms, here };
}
