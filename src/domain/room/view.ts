/** A room as others may see it. The lease is not in here: it is the holder's secret. */
import type { StateCard } from "../event.ts";
import type { Given } from "../given.ts";
import type { Handoff } from "../handoff.ts";
import type { AgentId, Handle, RoomId } from "../ids.ts";
import { queuePosition } from "../stick/queue.ts";
import { wallTimeOf } from "../time.ts";
import { type DerivedState, stateOf } from "./derived-state.ts";
import { isActive, isReachable, isWaiting, leaseDeadline } from "./liveness.ts";
import type { Room } from "./room.ts";

export interface RoomSummary {
  readonly roomId: RoomId;
  /** The machine that the path is on; `local` where the store knows one machine only. */
  readonly host: string;
  readonly canonicalPath: string;
  readonly project: string;
  readonly state: DerivedState;
  readonly owner: AgentId | null;
  readonly reservedFor: AgentId | null;
  readonly turnId: number;
  readonly memberCount: number;
  readonly updatedAt: string;
}

export interface RoomDetail extends RoomSummary {
  readonly leaseExpiresAt: string | null;
  readonly claimExpiresAt: string | null;
  readonly handoff: Handoff | null;
}

export interface MemberView {
  readonly agentId: AgentId;
  readonly handle: Handle | null;
  readonly harness: string;
  readonly status: "active" | "inactive";
  readonly lastSeenAt: string | null;
  readonly waiting: boolean;
  readonly queuePosition: number | null;
  readonly reachable: boolean;
  readonly stateCard: StateCard | null;
}

export function summaryOf(room: Room, given: Given): RoomSummary {
  const { owner, reservation, turnId, members } = room.state;
  return {
    roomId: room.id,
    host: room.host,
    canonicalPath: room.path,
    project: room.project,
    state: stateOf(room, given),
    owner,
    reservedFor: reservation?.agentId ?? null,
    turnId,
    memberCount: members.size,
    updatedAt: room.updatedAt,
  };
}

export function detailOf(room: Room, given: Given): RoomDetail {
  const leaseEnd = leaseDeadline(room, given);
  return {
    ...summaryOf(room, given),
    leaseExpiresAt: leaseEnd && wallTimeOf(leaseEnd, given.moment),
    claimExpiresAt: room.claimDeadline && wallTimeOf(room.claimDeadline, given.moment),
    handoff: room.state.handoff?.handoff ?? null,
  };
}

export function membersOf(room: Room, given: Given): readonly MemberView[] {
  return [...room.state.members.values()]
    .toSorted((a, b) => a.joinedSeq - b.joinedSeq)
    .map(({ agentId, harness, card }) => {
      const presence = room.presence.get(agentId);
      return {
        agentId,
        handle: presence?.handle ?? null,
        harness,
        status: isActive(room, agentId, given) ? "active" : "inactive",
        lastSeenAt: presence?.lastSeenAt ?? null,
        waiting: isWaiting(room, agentId, given),
        queuePosition: queuePosition(room, given, agentId),
        reachable: isReachable(room, agentId, given),
        stateCard: card,
      };
    });
}
