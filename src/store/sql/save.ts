/**
 * The statements that make a decided change durable.
 *
 * Values are immutable, so what is the same object before and after was not changed and is not written. The
 * room's own row is always written when anything is, and only if it still holds the sequence and the turn the
 * decision was made on: that compare is the one guard which must be in SQL.
 */
import type { RoomEvent } from "../../core/event.ts";
import type { AgentId } from "../../core/ids.ts";
import { invariant } from "../../core/invariant.ts";
import { type ProcessRef, processKey } from "../../core/process.ts";
import type { Post } from "../../mail/rules/send.ts";
import type { Change } from "../../room/rules/change.ts";
import type { TakenHandle, TakenHandles } from "../../room/rules/membership.ts";
import type { Member, Room } from "../../room/rules/room.ts";
import { isSameBut } from "./is-same-but.ts";
import { mergeMail, saveMail } from "./mail-save.ts";
import { mergeSessions } from "./session-rows.ts";
import { deleteFrom, insertInto, type Statement, update, updateAll, upsertInto } from "./statement.ts";
import {
  eventRow,
  lastSeenRow,
  memberRow,
  noteRow,
  roomIdentityRow,
  roomPulseRow,
  roomStateRow,
  waitRow,
} from "./write-rows.ts";

/** `before` is null for a room that this change makes. No statements mean that nothing changed. */
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
  invariant(after.state.lastSeq === lastSeq + events.length, "a room's last sequence is that of its last event");
  return [
    saveRoom(before, after),
    ...removeWaits(before, after),
    ...removeMembers(before, after),
    ...saveHandles(before, after, handles),
    ...saveMembers(before, after),
    ...saveWaits(before, after),
    ...events.map((event) => insertInto("events", eventRow(event))),
    ...events.flatMap(saveNote),
    ...(mail ? saveMail(mail, { boxes: post?.boxes ?? new Map(), deliveries: [] }) : []),
    ...events.flatMap(saveAlias),
  ];
}

function saveRoom(before: Room | null, after: Room): Statement {
  if (before === null) return insertInto("rooms", { ...roomIdentityRow(after), ...roomStateRow(after) });
  const { lastSeq, turnId } = before.state;
  const row = isOnlyLonger(before, after) ? roomPulseRow(after) : roomStateRow(after);
  return update("rooms", row, { room_id: before.id, last_seq: lastSeq, turn_id: turnId });
}

/** Whether nothing happened to the stick: talk, notes and presence leave the rest of the room's row as it is. */
function isOnlyLonger(before: Room, after: Room): boolean {
  return (
    isSameBut(["updatedAt", "state", "presence", "waits"], before, after) &&
    isSameBut(["lastSeq", "members"], before.state, after.state)
  );
}

function removeWaits(before: Room | null, after: Room): Statement[] {
  const gone = [...(before?.waits.keys() ?? [])].filter((agentId) => !after.waits.has(agentId));
  return gone.map((agentId) => deleteFrom("waits", { room_id: after.id, agent_id: agentId }));
}

function removeMembers(before: Room | null, after: Room): Statement[] {
  const gone = [...(before?.state.members.keys() ?? [])].filter((agentId) => !after.state.members.has(agentId));
  return gone.map((agentId) => deleteFrom("members", { room_id: after.id, agent_id: agentId }));
}

/** A handle that nobody live uses moves to its new agent, who gives up any other handle in the project. */
function saveHandles(before: Room | null, after: Room, taken: TakenHandles): Statement[] {
  if (!takesUpHandles(before, after)) return [];
  const { project } = after;
  return newHandles(before, after, taken()).flatMap(({ agentId, handle, hadAnother }) => [
    ...(hadAnother ? [deleteFrom("handles", { project, agent_id: agentId })] : []),
    upsertInto("handles", ["project", "handle"], { project, handle, agent_id: agentId }),
  ]);
}

/** Whether somebody joins with a handle, be it new to the project or only to this room. */
export function takesUpHandles(before: Room | null, after: Room): boolean {
  return [...after.presence.values()].some(({ agentId, handle }) => before?.presence.get(agentId)?.handle !== handle);
}

/** The handles that this change writes into the project's book. */
function newHandles(before: Room | null, after: Room, taken: readonly TakenHandle[]) {
  return [...after.presence.values()]
    .filter(({ agentId, handle }) => before?.presence.get(agentId)?.handle !== handle)
    .filter(({ agentId, handle }) => !taken.some((entry) => entry.agentId === agentId && entry.handle === handle))
    .map(({ agentId, handle }) => ({ agentId, handle, hadAnother: taken.some((entry) => entry.agentId === agentId) }));
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
  const key = { room_id: after.id, agent_id: member.agentId };
  const [was, is] = [before?.presence.get(member.agentId), after.presence.get(member.agentId) ?? null];
  const wasOnlySeen =
    was &&
    is &&
    member === before?.state.members.get(member.agentId) &&
    isSameProcess(was.process, is.process) &&
    isSameBut(["lastSeen", "lastSeenAt", "process"], was, is);
  if (wasOnlySeen) return update("members", lastSeenRow(is), key);
  return upsertInto("members", ["room_id", "agent_id"], memberRow(after, member, is));
}

function isSameProcess(a: ProcessRef | null, b: ProcessRef | null): boolean {
  return a === b || (a !== null && b !== null && processKey(a) === processKey(b));
}

function saveWaits(before: Room | null, after: Room): Statement[] {
  const changed = [...after.waits.values()].filter((wait) => wait !== before?.waits.get(wait.agentId));
  return changed.map((wait) => upsertInto("waits", ["room_id", "agent_id"], waitRow(after, wait)));
}

/** Names that led to the old one lead to the new one from now on; the new one is no former name any more. */
function saveAlias(event: RoomEvent): Statement[] {
  if (event.type !== "session_superseded") return [];
  const { fromAgentId: agentId, payload } = event;
  const old = payload.supersededAgentId;
  return agentId === null || agentId === old ? [] : supersede(old, agentId);
}

/** One session under two names goes on under the second: its names, its mail and what is known about it. */
export function supersede(old: AgentId, agentId: AgentId): Statement[] {
  return [
    deleteFrom("aliases", { old_agent_id: agentId }),
    updateAll("aliases", { agent_id: agentId }, { agent_id: old }),
    upsertInto("aliases", ["old_agent_id"], { old_agent_id: old, agent_id: agentId }),
    ...mergeMail(old, agentId),
    ...mergeSessions(old, agentId),
  ];
}

/** A name that leads to another one is its own again. */
export function reclaimName(agentId: AgentId): Statement {
  return deleteFrom("aliases", { old_agent_id: agentId });
}

function saveNote(event: RoomEvent): Statement[] {
  if (event.type === "note_added") return [insertInto("notes", noteRow(event))];
  if (event.type !== "note_resolved") return [];
  return [
    update(
      "notes",
      { resolved_at: event.createdAt, resolved_by_agent_id: event.fromAgentId },
      { room_id: event.roomId, note_id: event.payload.noteId },
    ),
  ];
}
