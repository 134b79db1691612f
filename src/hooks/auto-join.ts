/**
 * Joins a session without being asked. A session that is alone in its project does not join. It joins when another one
 * lives there, or when the workspace is marked. A session that was there first gets a flag and joins at its next hook.
 * A session that left on purpose, or that a person removed, is not brought back. A closed room stays closed.
 */

import { isRefusal } from "../core/refusal.ts";
import { meantToBeOut } from "../engine/departures.ts";
import type { Deps } from "../engine/deps.ts";
import { lookAtRoom, ownNames } from "../engine/evidence.ts";
import { ignoringFaults } from "../engine/ignoring-faults.ts";
import type { RoomSnapshot } from "../engine/ports/store.ts";
import type { Place } from "../engine/ports/workspace.ts";
import { roomAt } from "../engine/room-at.ts";
import { enterPath } from "../room/join-path.ts";
import { alivenessIn } from "../room/rules/liveness.ts";
import type { Room } from "../room/rules/room.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import type { Session } from "../session/rules/session.ts";
import { flagSessions, liveOthers, sessionsWithoutRoom } from "../session/sessions-without-room.ts";
import { type HookDeps, type HookOutcome, SILENCE } from "./hook-deps.ts";
import { roomBrief } from "./room-brief.ts";

export interface CameIn {
  /** The room that the session is a member of now; null when it is in none. */
  readonly room: Room | null;
  /** True only in the hook that joined: parallel tools run several hooks. */
  readonly joined: boolean;
  /** Whether another session is there. */
  readonly hasCompany: boolean;
  /** The other sessions of the project that live. */
  readonly others: readonly Session[];
}

/** `starts`: the session has just started, so it does not count that it left before. */
export async function comeIn(
  deps: HookDeps,
  caller: Caller,
  place: Place,
  { starts }: { readonly starts: boolean },
): Promise<CameIn> {
  const covering = await roomAt(deps, place);
  const others = await liveOthers(deps, caller, place.project, covering?.room.policy ?? deps.policy);
  const hasCompany = others.length > 0 || (covering !== null && (await hasActiveOther(deps, caller, covering)));
  const out = { room: null, joined: false, hasCompany, others };
  if (covering?.room.state.members.has(caller.agentId)) return { ...out, room: covering.room };
  const isWanted = hasCompany || deps.isMarked(place.workspaceRoot);
  if (!isWanted || (covering && (await keepsOut(deps, caller, covering.room, starts)))) return out;
  const entered = await enterPath(deps, caller, place.canonicalPath);
  if (isRefusal(entered)) return out;
  const snapshot = await deps.store.readRoom(entered.joined.roomId);
  return snapshot ? { ...out, room: snapshot.room, joined: entered.isNew } : out;
}

/** The text for a session that has joined a room with others. Empty if it has not. */
export async function briefFor(deps: HookDeps, caller: Caller, { room, joined, hasCompany, others }: CameIn) {
  if (!room) return "";
  // The session has joined, so a fault of the store in this read must not fail the hook.
  const withoutRoom = (await ignoringFaults(() => sessionsWithoutRoom(deps, others, room))) ?? [];
  // When a member joins, the commit itself raises their flags.
  if (!joined) flagSessions(deps, withoutRoom);
  return hasCompany ? roomBrief(deps, caller, room, withoutRoom.length) : "";
}

/** A session that was alone when it started joins now if it no longer is, and is told so once. */
export async function lateArrival(deps: HookDeps, caller: Caller, place: Place): Promise<HookOutcome> {
  const cameIn = await comeIn(deps, caller, place, { starts: false });
  return cameIn.joined && cameIn.hasCompany ? { context: await briefFor(deps, caller, cameIn) } : SILENCE;
}

async function hasActiveOther(deps: Deps, caller: Caller, snapshot: RoomSnapshot): Promise<boolean> {
  const { room } = snapshot;
  const members = [...room.state.members.keys()];
  const aliases = await deps.store.readAliases(members);
  const others = members.filter((name) => !ownNames(caller).includes(aliases.get(name) ?? name));
  const given = await lookAtRoom(deps, snapshot, { caller, about: others });
  return others.some((agentId) => alivenessIn(room, agentId, given).isActive);
}

async function keepsOut(deps: Deps, caller: Caller, room: Room, starts: boolean): Promise<boolean> {
  if (room.state.status === "closed") return true;
  return !starts && (await meantToBeOut(deps, [caller], room.id)).length > 0;
}
