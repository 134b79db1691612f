import type { ClaimReason } from "../../core/event.ts";
import { after } from "../../core/time.ts";
import { type Change, record, withRoom } from "../../room/rules/change.ts";
import { alivenessIn, leaseHasExpired } from "../../room/rules/liveness.ts";
import { type Room, withoutEntry } from "../../room/rules/room.ts";
import type { Given } from "../../session/rules/decision-input.ts";
import type { TakeoverAvailable } from "./answers.ts";

/** The ground on which any member may take the stick from its owner; null if there is none. */
export function takeoverGround(room: Room, given: Given): TakeoverAvailable["reason"] | null {
  if (room.state.owner === null) return null;
  const holder = alivenessIn(room, room.state.owner, given);
  if (holder.isGone) return "owner_gone";
  if (holder.hostSilentMs !== null) return "host_silent";
  return leaseHasExpired(room, given) ? "owner_timeout" : null;
}

/** Gives the caller the next turn: turn + 1, a new lease, the reservation cleared. The handoff stays attached. */
export function grant(change: Change, given: Given, reason: ClaimReason, gitHead: string | null): Change {
  const recorded = record(
    change,
    given,
    "claim",
    { reason, gitHead },
    { from: given.caller.agentId, turnId: change.room.state.turnId + 1 },
  );
  return withFreshLease(recorded, given);
}

export function withFreshLease(change: Change, given: Given): Change {
  const { room } = change;
  return withRoom(change, {
    lease: { leaseId: given.freshLeaseId, deadline: after(given.moment.instant, room.policy.leaseTtlMs) },
    claimDeadline: null,
    cooldown: null,
    waits: withoutEntry(room.waits, given.caller.agentId),
  });
}
