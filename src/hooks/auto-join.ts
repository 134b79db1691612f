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
import { callOutsiders, liveOthers } from "../session/sessions-without-room.ts";
import { type HookDeps, type HookOutcome, SILENCE } from "./hook-deps.ts";
import { roomBrief } from "./room-brief.ts";

export interface CameIn {
  /** The room that the session is a member of now; null when it is in none. */
  readonly room: Room | null;
  /** True only in the hook that joined: parallel tools run several hooks. */
  readonly joined: boolean;
  /** Whether another session is there. */
  readonly hasCompany: boolean;
}

const OUT = { room: null, joined: false } as const;

/** `starts`: the session has just begun, so that what it did in an earlier life does not count. */
export async function comeIn(
  deps: HookDeps,
  caller: Caller,
  place: Place,
  { starts }: { readonly starts: boolean },
): Promise<CameIn> {
  const covering = await roomAt(deps, place);
  const sessions = await liveOthers(deps, caller, place.project, covering?.room.policy ?? deps.policy);
  const hasCompany = sessions.length > 0 || (covering !== null && (await hasActiveOther(deps, caller, covering)));
  if (covering?.room.state.members.has(caller.agentId)) return { ...OUT, room: covering.room, hasCompany };
  const isWanted = hasCompany || deps.isMarked(place.workspaceRoot);
  if (!isWanted || (covering && (await keepsOut(deps, caller, covering.room, starts)))) {
    return { ...OUT, hasCompany };
  }
  const entered = await enterPath(deps, caller, place.canonicalPath);
  if (isRefusal(entered)) return { ...OUT, hasCompany };
  const snapshot = await deps.store.readRoom(entered.joined.roomId);
  if (!snapshot) return { ...OUT, hasCompany };
  return { room: snapshot.room, joined: entered.isNew, hasCompany };
}

/** A session that was alone when it started joins now if it no longer is, and is told so once. */
export async function lateArrival(deps: HookDeps, caller: Caller, place: Place): Promise<HookOutcome> {
  const { room, joined, hasCompany } = await comeIn(deps, caller, place, { starts: false });
  if (!room || !joined || !hasCompany) return SILENCE;
  // It has joined, whether or not the store tells now who comes next.
  const arriving = await ignoringFaults(() => callOutsiders(deps, caller, room));
  return { context: await roomBrief(deps, caller, room, arriving ?? 0) };
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
