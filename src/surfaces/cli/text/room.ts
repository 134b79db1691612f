/** A room in words: who holds it, who waits, what comes next. */
import type { MemberView, RoomDetail, RoomSummary } from "../../../domain/room/view.ts";
import { ago, until } from "./ago.ts";
import { handoffText } from "./handoff.ts";
import type { Painter } from "./paint.ts";
import { field } from "./wrap.ts";

export interface RoomText {
  readonly room: RoomDetail;
  readonly members: readonly MemberView[];
  readonly me: string | null;
  readonly nowMs: number;
  readonly width: number;
  readonly paint: Painter;
}

/** The handle of an agent where it has one, and which of them is the reader. */
export function nameIn(members: readonly MemberView[], agentId: string | null, me: string | null): string {
  if (agentId === null) return "nobody";
  const handle = members.find((member) => member.agentId === agentId)?.handle;
  return `${handle ?? agentId}${agentId === me ? " ← you" : ""}`;
}

export function stickLine({ room, members, me, nowMs, paint }: RoomText): string {
  const owner = nameIn(members, room.owner, me);
  switch (room.state) {
    case "owned":
      return `${paint.green("●")} ${owner} holds the stick, turn ${room.turnId}${leaseText(room, nowMs)}`;
    case "stale_owner":
      return `${paint.yellow("◐")} ${owner} holds turn ${room.turnId}, but its lease ran out`;
    case "owner_gone":
      return `${paint.red("✗")} ${owner} holds turn ${room.turnId}, but its process is gone`;
    case "reserved":
      return `${paint.yellow("◌")} the stick is reserved for ${nameIn(members, room.reservedFor, me)}${claimText(room, nowMs)}`;
    case "closed":
      return `${paint.dim("■")} the room is closed after turn ${room.turnId}`;
    case "dormant":
      return `${paint.dim("○")} nobody is here; the stick lies idle after turn ${room.turnId}`;
    case "idle":
      return `${paint.dim("○")} the stick lies idle after turn ${room.turnId}`;
  }
}

function leaseText(room: RoomDetail, nowMs: number): string {
  return room.leaseExpiresAt === null ? "" : `; its lease ends ${until(room.leaseExpiresAt, nowMs)}`;
}

function claimText(room: RoomDetail, nowMs: number): string {
  return room.claimExpiresAt === null
    ? ""
    : `, which has until ${until(room.claimExpiresAt, nowMs).replace("in ", "")} from now`;
}

export function stateText(view: RoomText): string {
  const { room, members, nowMs, width } = view;
  const lines = [
    `Room ${room.canonicalPath}`,
    `  ${stickLine(view)}`,
    ...(room.handoff ? ["", "Handoff:", handoffText(room.handoff, width)] : []),
    "",
    `Members (${members.length}):`,
    ...members.map((member) => memberLine(view, member)),
    "",
    field("room id", room.roomId, width, ""),
    field("project", room.project, width, ""),
    field("changed", ago(room.updatedAt, nowMs), width, ""),
  ];
  return lines.join("\n");
}

function memberLine({ me, nowMs, paint }: RoomText, member: MemberView): string {
  const mark = member.status === "active" ? paint.green("●") : paint.dim("○");
  const doing =
    member.queuePosition === null ? (member.reachable ? "listening" : "") : `waiting, number ${member.queuePosition}`;
  const seen = member.lastSeenAt === null ? "" : `seen ${ago(member.lastSeenAt, nowMs)}`;
  const parts = [doing, seen, member.agentId === me ? "← you" : ""].filter((part) => part !== "");
  const card = member.stateCard ? `\n      ${member.stateCard.purpose}` : "";
  return `  ${mark} ${(member.handle ?? "").padEnd(12)} ${member.agentId.padEnd(18)} ${parts.join(", ")}${card}`;
}

export function listText(rooms: readonly RoomSummary[], nowMs: number, width: number): string {
  if (rooms.length === 0) return "No rooms yet. Make one with: tt join\n";
  return rooms
    .map((room) => {
      const holder = room.owner ?? (room.reservedFor === null ? "" : `reserved for ${room.reservedFor}`);
      const head = `${room.state.padEnd(11)} ${room.canonicalPath}`;
      const facts = [`turn ${room.turnId}`, `${room.memberCount} members`, `changed ${ago(room.updatedAt, nowMs)}`];
      return `${head}\n${field("", [holder, ...facts].filter(Boolean).join(", "), width, "").trimEnd()}`;
    })
    .join("\n");
}
