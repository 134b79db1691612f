/** A room in words: who holds it, who waits, what comes next. */
import type { Protection } from "../../../prove/rules/protection.ts";
import type { MemberView, RoomDetail, RoomSummary } from "../../../room/rules/view.ts";
import { ago, until } from "./ago.ts";
import { handoffText } from "./handoff.ts";
import { nameColumns } from "./names.ts";
import type { Painter } from "./paint.ts";
import type { Reading } from "./reading.ts";
import { field, wrap, wrapWhole } from "./wrap.ts";

export interface RoomText {
  readonly room: RoomDetail;
  readonly members: readonly MemberView[];
  readonly me: string | null;
  /** The machine that the reader is on. */
  readonly host: string;
  /** Since when the holder holds, where that was looked up. */
  readonly since?: string | null;
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

/** None where nothing is guarded, as by default and in a closed room. */
export function guardLines({ guard, state }: RoomDetail, protection: Protection | null, tt: string): readonly string[] {
  const level = protection === null ? "" : `, ${protection.level}`;
  return guard === "off" || state === "closed" ? [] : [`  guard: ${guard}${level} (${tt} guard)`];
}

/** The mark and the sentence about the stick; further lines stand below the sentence. */
export function stickLine(view: RoomText, indent = "  "): string {
  const { room, paint, width } = view;
  const [mark, text] = stickSentence(view);
  const colour = { owned: paint.green, stale_owner: paint.yellow, owner_gone: paint.red, reserved: paint.yellow };
  const painted = room.state in colour ? colour[room.state as keyof typeof colour](mark) : paint.dim(mark);
  return `${indent}${painted} ${wrap(text, width, `${indent}  `)}`;
}

function stickSentence({ room, members, me, since, nowMs }: RoomText): readonly [mark: string, text: string] {
  const mine = room.owner !== null && room.owner === me;
  const holder = mine ? "you hold" : `${nameIn(members, room.owner, null)} holds`;
  const whose = mine ? "your" : "its";
  const taken = since ? `, taken ${agoOrJustNow(since, nowMs)}` : "";
  switch (room.state) {
    case "owned":
      return ["●", `${holder} the stick, turn ${room.turnId}${taken}${leaseText(room, whose, nowMs)}`];
    case "stale_owner":
      return ["◐", `${holder} turn ${room.turnId}${taken}, but ${whose} lease has expired`];
    case "owner_gone":
      return ["✗", `${holder} turn ${room.turnId}${taken}, but ${whose} process is gone`];
    case "reserved":
      return ["◌", reservedText(room, members, me, nowMs)];
    case "closed":
      return ["■", `the room is closed after turn ${room.turnId}`];
    case "dormant":
      return ["○", `nobody is here; the stick is free after turn ${room.turnId}`];
    case "idle":
      return ["○", `the stick is free after turn ${room.turnId}`];
  }
}

function agoOrJustNow(iso: string, nowMs: number): string {
  const told = ago(iso, nowMs);
  return told === "now" ? "just now" : told;
}

function leaseText({ leaseExpiresAt }: RoomDetail, whose: string, nowMs: number): string {
  return leaseExpiresAt === null ? "" : `; ${whose} lease ends ${until(leaseExpiresAt, nowMs)}`;
}

function reservedText(room: RoomDetail, members: readonly MemberView[], me: string | null, nowMs: number): string {
  const name = room.reservedFor === me ? "you" : nameIn(members, room.reservedFor, null);
  const left = room.claimExpiresAt === null ? "" : `; the reservation ends ${until(room.claimExpiresAt, nowMs)}`;
  return `the stick is reserved for ${name}${left}`;
}

export function stateText(view: RoomText): string {
  const { room, members, nowMs, width } = view;
  const lines = [
    wrap(`Room ${room.canonicalPath}${hostText(room, view.host)}`, width, "  "),
    stickLine(view),
    ...(room.handoff ? ["", "Handoff:", handoffText(room.handoff, width)] : []),
    "",
    `Members (${members.length}):`,
    ...members.map((member) => memberLine(view, member)),
    "",
    field("room id", room.roomId, width, ""),
    field("guard", room.guard, width, ""),
    field("project", room.project, width, ""),
    field("changed", ago(room.updatedAt, nowMs), width, ""),
  ];
  return lines.join("\n");
}

function memberLine({ me, nowMs, paint, width }: RoomText, member: MemberView): string {
  const indent = " ".repeat(6);
  const mark = member.status === "active" ? paint.green("●") : paint.dim("○");
  const doing =
    member.queuePosition === null ? (member.reachable ? "reachable" : "") : `waiting, number ${member.queuePosition}`;
  const seen = member.lastSeenAt === null ? "" : `seen ${ago(member.lastSeenAt, nowMs)}`;
  const facts = [doing, seen].filter((part) => part !== "").join(", ");
  const you = member.agentId === me ? " ← you" : "";
  const line = `${nameColumns(member)} ${facts}${you}`;
  const card = member.stateCard ? `\n${indent}${wrap(member.stateCard.purpose, width, indent)}` : "";
  return `  ${mark} ${wrap(line, width, indent)}${card}`;
}

/** Nothing for a room of the reader's own machine. */
function hostText(room: RoomSummary, host: string): string {
  return room.host === host ? "" : ` on another machine, ${room.host}`;
}

export function listText(rooms: readonly RoomSummary[], host: string, { nowMs, width, tt }: Reading): string {
  if (rooms.length === 0) return wrapWhole(`No rooms yet. Create one: ${tt} join`, width);
  const indent = " ".repeat(12);
  return rooms
    .map((room) => {
      const holder = room.owner ?? (room.reservedFor === null ? "" : `reserved for ${room.reservedFor}`);
      const facts = [
        holder,
        `turn ${room.turnId}`,
        membersText(room.memberCount),
        `changed ${ago(room.updatedAt, nowMs)}`,
      ];
      const head = `${room.state.padEnd(11)} ${wrap(`${room.canonicalPath}${hostText(room, host)}`, width, indent)}`;
      return `${head}\n${indent}${wrap(facts.filter(Boolean).join(", "), width, indent)}`;
    })
    .join("\n");
}

export function membersText(count: number): string {
  return `${count} member${count === 1 ? "" : "s"}`;
}
