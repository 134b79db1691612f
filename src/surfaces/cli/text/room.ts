/** A room in words: who holds it, who waits, what comes next. */
import { wallTime } from "../../../core/time.ts";
import { oneLine } from "../../../core/visible.ts";
import type { ListedRoom } from "../../../room/list-rooms.ts";
import type { RoomPlace, SurroundingRoom } from "../../../room/rules/room-place.ts";
import type { MemberView, RoomDetail } from "../../../room/rules/view.ts";
import { pauseWords, type StickView, stickWords } from "../../picture/stick-words.ts";
import { ago, notHeardText } from "../../words/ago.ts";
import { field, visible, wrap, wrapWhole } from "../../words/wrap.ts";
import { handoffText } from "./handoff.ts";
import { nameColumns, type ShownNames } from "./names.ts";
import { type Painter, paintedLines } from "./paint.ts";
import type { Page, Reading } from "./reading.ts";

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
  readonly names: ShownNames;
}

/** The handle of an agent where it has one, and which of them is the reader. */
export function nameIn(members: readonly MemberView[], agentId: string | null, me: string | null): string {
  if (agentId === null) return "nobody";
  const handle = members.find((member) => member.agentId === agentId)?.handle;
  return `${handle ?? agentId}${agentId === me ? " ← you" : ""}`;
}

/** None while the room is not paused. */
function pauseLines(view: RoomText): readonly string[] {
  const [mark, text] = pauseWords(stickView(view)) ?? [];
  return text === undefined ? [] : [`  ${view.paint.yellow(mark ?? "")} ${wrap(text, view.width, "    ")}`];
}

/** The mark and the sentence about the stick; further lines stand below the sentence. */
function stickLine(view: RoomText, indent = "  "): string {
  const { room, paint, width } = view;
  const [mark, text] = stickWords(stickView(view));
  const colour = {
    owned: paint.green,
    stale_owner: paint.yellow,
    silent_owner: paint.yellow,
    owner_gone: paint.red,
    reserved: paint.yellow,
  };
  const painted = room.state in colour ? colour[room.state as keyof typeof colour](mark) : paint.dim(mark);
  return `${indent}${painted} ${wrap(text, width, `${indent}  `)}`;
}

function stickView({ room, members, me, since, nowMs }: RoomText): StickView {
  const { host: name, hostSilentMs } = members.find(({ agentId }) => agentId === room.owner) ?? {};
  const silentSince = hostSilentMs === undefined ? null : wallTime(nowMs - hostSilentMs);
  const machine = name === undefined ? null : { name, silentSince };
  return { room, me, since: since ?? null, nowMs, machine, nameOf: (agentId) => nameIn(members, agentId, null) };
}

export function stateText(view: RoomText): string {
  const { room, members, nowMs, width } = view;
  const lines = [
    wrap(`Room ${room.canonicalPath}${hostText(room, view.host)}`, width, "  "),
    stickLine(view),
    ...pauseLines(view),
    ...(room.handoff ? ["", "Handoff:", handoffText(room.handoff, view)] : []),
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

function memberLine({ room, me, nowMs, paint, width, names }: RoomText, member: MemberView): string {
  const indent = " ".repeat(6);
  const mark = member.status === "active" ? paint.green("●") : paint.dim("○");
  const doing =
    member.queuePosition === null ? (member.reachable ? "reachable" : "") : `waiting, number ${member.queuePosition}`;
  const seen = member.lastSeenAt === null ? "" : `seen ${ago(member.lastSeenAt, nowMs)}`;
  const facts = [doing, machineText(member), seen].filter((part) => part !== "").join(", ");
  const you = member.agentId === me ? " ← you" : "";
  const line = `${nameColumns(member, names)} ${facts}${you}`;
  const shown = wrap(line, width, indent);
  const first = member.agentId === room.owner ? paintedLines(shown, paint.bold) : shown;
  const card = member.stateCard ? `\n${indent}${wrap(member.stateCard.purpose, width, indent)}` : "";
  return `  ${mark} ${first}${card}`;
}

/** Nothing for an agent whose machine is not told. */
export function machineText({ host, hostSilentMs }: Pick<MemberView, "host" | "hostSilentMs">): string {
  if (host === undefined) return "";
  return `on ${visible(host)}${hostSilentMs === undefined ? "" : ` (${notHeardText(hostSilentMs)})`}`;
}

/** Nothing for a room of the reader's own machine. */
function hostText(room: Pick<ListedRoom, "host" | "hostName" | "hostSilentMs">, host: string): string {
  if (room.host === host) return "";
  const name = oneLine(room.hostName ?? room.host);
  const silent = room.hostSilentMs === undefined ? "" : ` (${notHeardText(room.hostSilentMs)})`;
  return ` on another machine, ${name}${silent}`;
}

export function listText(rooms: readonly ListedRoom[], host: string, reading: Reading): string {
  const { nowMs, width, tt, names } = reading;
  if (rooms.length === 0) return wrapWhole(`No rooms yet. Create one: ${tt} join`, width);
  const indent = " ".repeat(12);
  return rooms
    .map((room) => {
      const reserved = room.reservedFor === null ? "" : `reserved for ${names.of(room.reservedFor)}`;
      const holder = room.owner === null ? reserved : names.of(room.owner);
      const facts = [
        room.paused === null ? "" : "paused",
        holder,
        `turn ${room.turnId}`,
        membersText(room.memberCount),
        `changed ${ago(room.updatedAt, nowMs)}`,
      ];
      const gone = room.vanished ? " (this directory is gone)" : "";
      const head = `${room.state.padEnd(11)} ${wrap(`${room.canonicalPath}${gone}${hostText(room, host)}`, width, indent)}`;
      return `${head}\n${indent}${wrap(facts.filter(Boolean).join(", "), width, indent)}`;
    })
    .join("\n");
}

/** Where a room is, as far as its path does not say it. */
export function placeLines({ inside, formerly }: RoomPlace, { width, tt, names }: Page): readonly string[] {
  return [
    ...(inside ? [wrapWhole(`This is inside ${surroundingWords(inside, names)}. Each has its own stick.`, width)] : []),
    ...(formerly
      ? [
          wrapWhole(`This repository had a room at ${formerly.canonicalPath}. That directory is gone.`, width),
          wrapWhole(`  Look at it with: ${tt} log --room ${names.short(formerly.roomId)}`, width, "  "),
        ]
      : []),
  ];
}

function surroundingWords(inside: SurroundingRoom, { ids }: Page["names"]): string {
  const { canonicalPath, owner, ownerHandle, reservedFor, reservedForHandle, paused } = inside;
  const holder = ids ? owner : (ownerHandle ?? owner);
  const next = ids ? reservedFor : (reservedForHandle ?? reservedFor);
  const stick = holder ? `held by ${holder}` : next ? `reserved for ${next}` : "free";
  return `${canonicalPath}, ${paused ? "which is paused and " : ""}whose stick is ${stick}`;
}

export function membersText(count: number): string {
  return `${count} member${count === 1 ? "" : "s"}`;
}
