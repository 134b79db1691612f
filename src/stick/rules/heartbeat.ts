import { invariant } from "../../core/invariant.ts";
import type { Refusal } from "../../core/refusal.ts";
import { wallTimeOf } from "../../core/time.ts";
import { begin, type Decision } from "../../room/rules/change.ts";
import { holderShowsUp } from "../../room/rules/membership.ts";
import type { Room } from "../../room/rules/room.ts";
import { settle } from "../../room/rules/settle.ts";
import type { Given } from "../../session/rules/decision-input.ts";
import { type HolderRefusal, type HolderToken, holderRefusal } from "./holder.ts";

export interface HeartbeatAnswer {
  readonly status: "ok";
  readonly turnId: number;
  readonly leaseExpiresAt: string;
}

/** What every sign of life of the holder does. Null for a caller that does not hold the stick. */
export function renew(room: Room, given: Given): Decision<true> | null {
  const settled = settle(begin(room), given);
  if (settled.room.state.owner !== given.caller.agentId) return null;
  return { change: holderShowsUp(settled, given), answer: true };
}

export function heartbeat(
  room: Room,
  given: Given,
  token: HolderToken,
): Decision<HeartbeatAnswer | Refusal<HolderRefusal>> {
  const settled = settle(begin(room), given);
  const refusal = holderRefusal(settled.room, given, token);
  if (refusal) return { change: settled, answer: refusal };
  const change = holderShowsUp(settled, given);
  invariant(change.room.lease, "an owner has a lease");
  return {
    change,
    answer: {
      status: "ok",
      turnId: change.room.state.turnId,
      leaseExpiresAt: wallTimeOf(change.room.lease.deadline, given.moment),
    },
  };
}
