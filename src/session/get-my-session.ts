import { flag, optional } from "../core/field.ts";
import type { AgentId, Handle, RoomId } from "../core/ids.ts";
import type { Next } from "../core/next.ts";
import { isRefusal } from "../core/refusal.ts";
import type { Deps } from "../engine/deps.ts";
import { ownNames } from "../engine/evidence.ts";
import { locate } from "../engine/locate.ts";
import { operation } from "../engine/operation.ts";
import { roomNotFound } from "../room/rules/refusals.ts";
import type { Room } from "../room/rules/room.ts";
import { callerOf, type IdentityRefusal, type StrategyName, type StrategyOutcome } from "./rules/identity.ts";

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

export const getMySession = operation({
  name: "get_my_session",
  summary: "Who you are here, and what every kind of evidence said about it.",
  needs: { store: "read", caller: "identified", room: "project" },
  input: { explain: optional(flag()) },
  refusals: ["not_authorized"],
  mcp: "gateway",
  async run({ deps, directory, roomId, identification }, { explain = true }) {
    const { identity, strategies, next } = identification;
    const room = roomId === undefined ? null : ((await deps.store.readRoom(roomId))?.room ?? roomNotFound(roomId));
    if (isRefusal(room)) return room;
    if (isRefusal(identity)) return explain ? withReasons(identity, strategies) : identity;
    const { agentId, harness, sessionId, idSource, verified } = identity;
    const names = ownNames(callerOf(identity));
    const { handle, here } = await (room ? seatIn(room, names) : seatAround(deps, directory, names));
    return {
      agentId,
      handle,
      harness,
      sessionId,
      idSource,
      verified,
      roomId: here?.id ?? null,
      ...(explain && { strategies }),
      ...(next !== undefined && { next }),
    } satisfies MySession;
  },
});

/** An unknown caller needs the reasons most. */
function withReasons(refusal: IdentityRefusal, strategies: readonly StrategyOutcome[]): IdentityRefusal {
  const reasons = strategies.map(({ name, outcome, reason }) => ({ name, outcome, reason }));
  return { ...refusal, facts: { ...refusal.facts, strategies: reasons } };
}

interface Seat {
  readonly handle: Handle | null;
  /** The room that is meant, if the caller is a member of it. */
  readonly here: Room | null;
}

function seatIn(room: Room, names: readonly AgentId[]): Seat {
  const here = names.some((name) => room.state.members.has(name)) ? room : null;
  return { handle: handleAmong(here ? [here] : [], names), here };
}

/** Among the rooms of the directory's project. */
async function seatAround(deps: Deps, directory: string, names: readonly AgentId[]): Promise<Seat> {
  const place = await locate(deps, directory);
  if (isRefusal(place)) return { handle: null, here: null };
  const found = await Promise.all(names.map((agentId) => deps.store.readRooms({ project: place.project, agentId })));
  const rooms = found.flatMap((answer) => answer.rooms);
  const isHere = (path: string) => (room: Room) => room.host === deps.host && room.path === path;
  const here = place.candidates.flatMap((path) => rooms.find(isHere(path)) ?? []).at(0) ?? null;
  return { handle: handleAmong(rooms, names), here };
}

function handleAmong(rooms: readonly Room[], names: readonly AgentId[]): Handle | null {
  return rooms.flatMap((room) => names.flatMap((name) => room.presence.get(name)?.handle ?? []))[0] ?? null;
}
