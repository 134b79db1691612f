import type { Given } from "../../session/rules/decision-input.ts";
import { alivenessIn, leaseHasExpired } from "./liveness.ts";
import type { Room } from "./room.ts";

export type DerivedState =
  | "closed"
  | "owner_gone"
  | "silent_owner"
  | "stale_owner"
  | "owned"
  | "reserved"
  | "dormant"
  | "idle";

/** The one function that says what state a room is in; every read and every rule asks it. */
export function stateOf(room: Room, given: Given): DerivedState {
  const { status, owner } = room.state;
  if (status === "closed") return "closed";
  if (owner !== null) {
    const holder = alivenessIn(room, owner, given);
    if (holder.isGone) return "owner_gone";
    if (holder.hostSilentMs !== null) return "silent_owner";
    return leaseHasExpired(room, given) ? "stale_owner" : "owned";
  }
  if (status === "reserved") return "reserved";
  const anyoneActive = [...room.state.members.keys()].some((agentId) => alivenessIn(room, agentId, given).isActive);
  return anyoneActive ? "idle" : "dormant";
}
