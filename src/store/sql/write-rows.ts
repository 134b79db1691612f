/** Domain values as rows to write. read-rows.ts is the way back. */
import type { EventOf, RoomEvent } from "../../core/event.ts";
import type { Instant } from "../../core/time.ts";
import type { Member, NewRoom, Presence, Room, Wait } from "../../room/rules/room.ts";
import { toStoredJson } from "./json.ts";
import { policyText } from "./policy-text.ts";
import type { RowValues, SqlValue } from "./statement.ts";

export const jsonOrNull = (value: unknown): SqlValue => (value === null ? null : toStoredJson(value));

/** What never changes after a room was made. */
export function roomIdentityRow(room: NewRoom): RowValues {
  return {
    room_id: room.id,
    host: room.host,
    path: room.path,
    project: room.project,
    created_at: room.createdAt,
  };
}

/** What every event changes. */
export function roomPulseRow({ updatedAt, state }: Room): RowValues {
  return { updated_at: updatedAt, last_seq: state.lastSeq };
}

export function roomStateRow(room: Room): RowValues {
  const { state, lease, claimDeadline, cooldown } = room;
  return {
    policy: policyText(room.policy),
    updated_at: room.updatedAt,
    status: state.status,
    turn_id: state.turnId,
    owner: state.owner,
    reserved_for: state.reservation?.agentId ?? null,
    reserved_via: state.reservation?.via ?? null,
    handoff_seq: state.handoff?.seq ?? null,
    handoff_from: state.handoff?.fromAgentId ?? null,
    turn_head: state.turnHead,
    last_seq: state.lastSeq,
    lease_id: lease?.leaseId ?? null,
    ...instantRow("lease", lease?.deadline ?? null),
    ...instantRow("claim", claimDeadline),
    cooldown_agent: cooldown?.agentId ?? null,
    ...instantRow("cooldown", cooldown?.until ?? null),
    suspended_ms: room.suspendedMs,
  };
}

export function memberRow(room: Room, member: Member, presence: Presence | null): RowValues {
  return {
    room_id: room.id,
    agent_id: member.agentId,
    harness: member.harness,
    joined_seq: member.joinedSeq,
    held_seq: member.heldSeq,
    card: jsonOrNull(member.card),
    ...lastSeenRow(presence),
    process: jsonOrNull(presence?.process ?? null),
    session_id: presence?.sessionId ?? null,
    tmux_pane: presence?.tmuxPane ?? null,
  };
}

export function lastSeenRow(presence: Presence | null): RowValues {
  return { ...instantRow("last_seen", presence?.lastSeen ?? null), last_seen_at: presence?.lastSeenAt ?? null };
}

export function waitRow(room: Room, wait: Wait): RowValues {
  return {
    room_id: room.id,
    agent_id: wait.agentId,
    claims: wait.claims ? 1 : 0,
    sees_mail: wait.seesMail ? 1 : 0,
    caller: jsonOrNull(wait.caller),
    since_at: wait.sinceAt,
    ...instantRow("deadline", wait.deadline),
  };
}

export function eventRow(event: RoomEvent): RowValues {
  return {
    room_id: event.roomId,
    event_seq: event.seq,
    event_id: event.eventId,
    turn_id: event.turnId,
    event_type: event.type,
    from_agent_id: event.fromAgentId,
    to_agent_id: event.toAgentId,
    handoff: jsonOrNull(event.handoff),
    reason: jsonOrNull(event.reason),
    created_at: event.createdAt,
    payload: toStoredJson(event.payload),
  };
}

export function noteRow(event: EventOf<"note_added">): RowValues {
  return {
    note_id: event.payload.noteId,
    room_id: event.roomId,
    turn_id: event.payload.turnId,
    author_agent_id: event.fromAgentId,
    body: toStoredJson(event.payload.body),
    created_at: event.createdAt,
    event_seq: event.seq,
    resolved_at: null,
    resolved_by_agent_id: null,
  };
}

export function instantRow(name: string, instant: Instant | null): RowValues {
  return { [`${name}_epoch`]: instant?.epoch ?? null, [`${name}_ms`]: instant?.ms ?? null };
}
