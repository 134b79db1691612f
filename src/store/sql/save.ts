/**
 * The statements that make a decided change durable.
 *
 * Values are immutable, so a part that is the same object before and after did not change and is not written. If anything
 * is written, the room's own row is too, and only if it still has the sequence and the turn that the decision was made
 * on. That comparison is the one guard that must be in SQL.
 */
import type { RoomEvent } from "../../core/event.ts";
import type { AgentId } from "../../core/ids.ts";
import { invariant } from "../../core/invariant.ts";
import { type ProcessRef, processKey } from "../../core/process.ts";
import type { Post } from "../../mail/rules/send.ts";
import type { Change } from "../../room/rules/change.ts";
import type { TakenHandles } from "../../room/rules/membership.ts";
import { noteFrom } from "../../room/rules/note.ts";
import type { Member, Room } from "../../room/rules/room.ts";
import type { Presence } from "../../session/rules/session.ts";
import { isSameBut, mergeMail, saveMail } from "./mail-save.ts";
import { type Statement, sql } from "./statement.ts";
import {
  aliases,
  events as eventTable,
  members,
  notes,
  rooms,
  updateLastSeen,
  updateRoom,
  updateRoomPulse,
  waits,
} from "./tables.ts";

/** `before` is null for a room that this change creates. No statements mean that nothing changed. */
export function saveChange(
  before: Room | null,
  { room: after, events, mail }: Change,
  { handles, post }: { readonly handles: TakenHandles; readonly post: Post | null },
): readonly Statement[] {
  if (before === after) {
    invariant(events.length === 0, "events without a change of the room");
    return [];
  }
  const lastSeq = before?.state.lastSeq ?? 0;
  const whereMember = (agentId: AgentId) => sql`WHERE room_id = ${after.id} AND agent_id = ${agentId}`;
  invariant(after.state.lastSeq === lastSeq + events.length, "a room's last sequence is that of its last event");
  return [
    saveRoom(before, after),
    ...removed(before?.waits, after.waits).map((agentId) => sql`DELETE FROM waits ${whereMember(agentId)}`),
    ...removed(before?.state.members, after.state.members).map(
      (agentId) => sql`DELETE FROM members ${whereMember(agentId)}`,
    ),
    ...saveHandles(before, after, handles),
    ...saveMembers(before, after),
    ...saveWaits(before, after),
    ...events.map((event) => eventTable.insert(event)),
    ...events.flatMap(saveNote),
    ...(mail ? saveMail(mail, { boxes: post?.boxes ?? new Map(), deliveries: [] }) : []),
    ...events.flatMap(saveAlias),
  ];
}

function saveRoom(before: Room | null, after: Room): Statement {
  if (before === null) return rooms.insert(after);
  const { lastSeq, turnId } = before.state;
  const update = onlyLogGrew(before, after) ? updateRoomPulse : updateRoom;
  return update(after, [before.id, lastSeq, turnId]);
}

/** Whether nothing happened to the stick: talk, notes and presence leave the rest of the room's row as it is. */
function onlyLogGrew(before: Room, after: Room): boolean {
  return (
    isSameBut(["updatedAt", "state", "presence", "waits"], before, after) &&
    isSameBut(["lastSeq", "members"], before.state, after.state)
  );
}

/** The keys that only the map from before has. */
function removed(before: ReadonlyMap<AgentId, unknown> | undefined, after: ReadonlyMap<AgentId, unknown>) {
  return [...(before?.keys() ?? [])].filter((agentId) => !after.has(agentId));
}

/** A handle without a live user moves to its new agent, which gives up any other handle in the project. */
function saveHandles(before: Room | null, after: Room, taken: TakenHandles): Statement[] {
  const { project } = after;
  const known = takesUpHandles(before, after) ? taken() : [];
  return newHandles(before, after).flatMap(({ agentId, handle }) => {
    const own = known.filter((entry) => entry.agentId === agentId);
    if (own.some((entry) => entry.handle === handle)) return [];
    return [
      ...(own.length > 0 ? [sql`DELETE FROM handles WHERE project = ${project} AND agent_id = ${agentId}`] : []),
      sql`INSERT INTO handles (project, handle, agent_id) VALUES (${project}, ${handle}, ${agentId})
        ON CONFLICT (project, handle) DO UPDATE SET agent_id = excluded.agent_id`,
    ];
  });
}

/** Whether an agent joins with a handle that is new to the project, or only to this room. */
export function takesUpHandles(before: Room | null, after: Room): boolean {
  return newHandles(before, after).length > 0;
}

function newHandles(before: Room | null, after: Room): readonly Presence[] {
  return [...after.presence.values()].filter(({ agentId, handle }) => before?.presence.get(agentId)?.handle !== handle);
}

function saveMembers(before: Room | null, after: Room): Statement[] {
  const changed = [...after.state.members.values()].filter(
    (member) =>
      member !== before?.state.members.get(member.agentId) ||
      after.presence.get(member.agentId) !== before.presence.get(member.agentId),
  );
  return changed.map((member) => saveMember(before, after, member));
}

/** Mostly a member was only seen. */
function saveMember(before: Room | null, after: Room, member: Member): Statement {
  const [was, presence] = [before?.presence.get(member.agentId), after.presence.get(member.agentId) ?? null];
  const row = { roomId: after.id, member, presence };
  const wasOnlySeen =
    was &&
    presence &&
    member === before?.state.members.get(member.agentId) &&
    isSameProcess(was.process, presence.process) &&
    isSameBut(["lastSeen", "lastSeenAt", "process"], was, presence);
  return wasOnlySeen ? updateLastSeen(row, [after.id, member.agentId]) : members.upsert(row);
}

function isSameProcess(a: ProcessRef | null, b: ProcessRef | null): boolean {
  return a === b || (a !== null && b !== null && processKey(a) === processKey(b));
}

function saveWaits(before: Room | null, after: Room): Statement[] {
  const changed = [...after.waits.values()].filter((wait) => wait !== before?.waits.get(wait.agentId));
  return changed.map((wait) => waits.upsert({ ...wait, roomId: after.id }));
}

function saveAlias(event: RoomEvent): Statement[] {
  if (event.type !== "session_superseded") return [];
  const { fromAgentId: agentId, payload } = event;
  const old = payload.supersededAgentId;
  return agentId === null || agentId === old ? [] : supersede(old, agentId);
}

/**
 * A session that has two names continues under the second: its aliases, its mail and its rows. Names that led to the old
 * one now lead to the new one, which is no former name any more.
 */
export function supersede(old: AgentId, agentId: AgentId): Statement[] {
  return [
    reclaimName(agentId),
    sql`UPDATE aliases SET agent_id = ${agentId} WHERE agent_id = ${old}`,
    aliases.upsert({ oldAgentId: old, agentId }),
    ...mergeMail(old, agentId),
    ...mergeSessions(old, agentId),
  ];
}

/** A name that leads to another one is its own again. */
export function reclaimName(agentId: AgentId): Statement {
  return sql`DELETE FROM aliases WHERE old_agent_id = ${agentId}`;
}

/** A session that has a row under both names keeps the row of the new name. */
function mergeSessions(old: AgentId, agentId: AgentId): readonly Statement[] {
  const steps = [
    sql`UPDATE sessions SET agent_id = ${agentId} WHERE agent_id = ${old}
        AND NOT EXISTS (SELECT 1 FROM sessions o WHERE o.agent_id = ${agentId} AND o.project = sessions.project)`,
    sql`DELETE FROM sessions WHERE agent_id = ${old}`,
  ];
  return steps.map((step) => ({ ...step, inOrder: true }));
}

function saveNote(event: RoomEvent): Statement[] {
  if (event.type === "note_added") return [notes.insert({ ...noteFrom(event), eventSeq: event.seq })];
  if (event.type !== "note_resolved") return [];
  const resolved = sql`UPDATE notes SET resolved_at = ${event.createdAt}, resolved_by_agent_id = ${event.fromAgentId}
    WHERE room_id = ${event.roomId} AND note_id = ${event.payload.noteId}`;
  return [{ ...resolved, mustTouchOne: true }];
}
