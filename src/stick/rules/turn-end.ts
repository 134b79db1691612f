/**
 * How a turn, or a stay in the room, ended, from the event that ended it. If another agent or a person did it, the
 * former holder has to be told: otherwise it would go on writing.
 */
import type { RoomEvent, TakeoverGround } from "../../core/event.ts";
import type { AgentId, EventId } from "../../core/ids.ts";
import { unreachable } from "../../core/invariant.ts";
import type { Policy } from "../../core/policy.ts";

export interface TurnEnd {
  readonly how: "takeover" | "given" | "kick" | "close" | "release" | "pass" | "member_left";
  /** The turn that ended; null for a member that held no stick. */
  readonly turnId: number | null;
  readonly by: AgentId | null;
  readonly at: string;
  readonly reason: string | null;
  readonly eventSeq: number;
  readonly eventId: EventId;
  /** Only of a takeover. */
  readonly ground?: TakeoverGround;
  /** What a person changed during the turn, if that may be why it could be taken; the oldest first. */
  readonly policyChanges?: readonly PolicyChange[];
}

export interface PolicyChange {
  readonly by: AgentId | null;
  readonly at: string;
  readonly changes: Partial<Policy>;
}

/** Null for an event that ends no turn. */
export function turnEndBy(event: RoomEvent): TurnEnd | null {
  const { fromAgentId: by, createdAt: at, reason, seq: eventSeq, eventId, turnId } = event;
  const end = { by, at, reason, eventSeq, eventId };
  switch (event.type) {
    case "takeover":
      return { how: event.type, turnId: turnId - 1, ground: event.payload.ground, ...end };
    case "given":
      return event.payload.revokedAgentId === null ? null : { how: event.type, turnId, ...end };
    case "kick":
      return { how: event.type, turnId: event.payload.targetWasOwner ? turnId : null, ...end };
    case "close":
      return { how: event.type, turnId: event.payload.revokedAgentId === null ? null : turnId, ...end };
    case "member_left":
      return { how: event.type, turnId: event.payload.wasOwner ? turnId : null, ...end };
    case "release":
    case "pass":
      return { how: event.type, turnId, ...end };
    case "claim":
    case "reopen":
    case "member_joined":
    case "reservation_expired":
    case "policy_changed":
    case "message_sent":
    case "note_added":
    case "note_resolved":
    case "state_changed":
    case "session_superseded":
    case "foreign_write":
    case "check_run":
    case "evidence_attached":
    case "paused":
    case "resumed":
      return null;
    default:
      return unreachable(event);
  }
}

/** Only its holder releases a stick, passes it on or leaves with it, under whichever name it had then. */
export const OWN_ACTS: readonly TurnEnd["how"][] = ["release", "pass", "member_left"];

/** Whether another than the agent of these names ended it. */
export function isLoss({ how, by }: TurnEnd, names: readonly AgentId[]): boolean {
  return !OWN_ACTS.includes(how) && by !== null && !names.includes(by);
}

/** Who loses the stick, or its place, by these events. */
export function losersBy(events: readonly RoomEvent[]): readonly AgentId[] {
  return events.flatMap((event) => {
    const loser = loserBy(event);
    return loser === null || loser === event.fromAgentId ? [] : [loser];
  });
}

function loserBy(event: RoomEvent): AgentId | null {
  if (event.type === "kick") return event.toAgentId;
  const revokes = event.type === "takeover" || event.type === "given" || event.type === "close";
  return revokes ? event.payload.revokedAgentId : null;
}

/** What decides for how long a holder that is silent keeps its stick. */
const DECISIVE = ["leaseTtlMs", "ownerIdleMs", "goneGraceMs"] as const;

const MOST_CHANGES = 3;

/** The policy changes during the lost turn that may have made the takeover possible; the newest of them. */
export function policyChangesBefore(
  { ground, turnId }: TurnEnd,
  events: readonly RoomEvent[],
): readonly PolicyChange[] {
  if (ground === undefined || ground === "operator_requested") return [];
  const changes = events.flatMap((event) => {
    const isOfTurn = event.type === "policy_changed" && event.turnId === turnId;
    if (!isOfTurn || !DECISIVE.some((key) => event.payload.changes[key] !== undefined)) return [];
    return [{ by: event.fromAgentId, at: event.createdAt, changes: event.payload.changes }];
  });
  return changes.slice(-MOST_CHANGES);
}
