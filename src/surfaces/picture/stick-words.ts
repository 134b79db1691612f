/** The stick and a pause in words: who holds it, since when, and until when. */

import { span, wallMsOf } from "../../core/time.ts";
import { oneLine } from "../../core/visible.ts";
import type { ShownMachine } from "../../peers/rules/picture-agents.ts";
import type { RoomDetail } from "../../room/rules/view.ts";
import { notHeardText } from "../words/ago.ts";

/** A room as its reader sees it. */
export interface StickView {
  readonly room: Pick<
    RoomDetail,
    "state" | "owner" | "reservedFor" | "turnId" | "leaseExpiresAt" | "claimExpiresAt" | "paused"
  >;
  readonly me: string | null;
  /** Since when the holder holds, where that was looked up. */
  readonly since?: string | null;
  readonly nowMs: number;
  readonly nameOf: (agentId: string | null) => string;
  /** The holder's machine, if that is another one. */
  readonly machine?: ShownMachine | null;
}

/** `detail`: what a surface with little room may leave out. */
export interface StickParts {
  readonly mark: string;
  readonly text: string;
  readonly detail: string | null;
}

/** The whole on one line. */
export function stickWords(view: StickView): readonly [mark: string, text: string] {
  const { mark, text, detail } = stickParts(view);
  const joint = view.room.state === "reserved" ? "; " : ", ";
  return [mark, detail === null ? text : `${text}${joint}${detail}`];
}

export function stickParts({ room, me, since, nowMs, nameOf, machine }: StickView): StickParts {
  const mine = room.owner !== null && room.owner === me;
  const holder = mine ? "you hold" : `${nameOf(room.owner)} holds`;
  const whose = mine ? "your" : "its";
  const taken = since ? `, taken ${agoOrJustNow(since, nowMs)}` : "";
  const lease = room.leaseExpiresAt === null ? "" : `; ${whose} lease ends ${inTime(room.leaseExpiresAt, nowMs)}`;
  switch (room.state) {
    case "owned":
      return { mark: "●", text: `${holder} the stick`, detail: `turn ${room.turnId}${taken}${lease}` };
    case "stale_owner":
      return alone("◐", `${holder} turn ${room.turnId}${taken}, but ${whose} lease has expired`);
    case "owner_gone":
      return alone("✗", `${holder} turn ${room.turnId}${taken}, but ${whose} process is gone`);
    case "silent_owner":
      return alone("◐", `${holder} turn ${room.turnId}${taken}, but ${whose} machine ${silenceWords(machine, nowMs)}`);
    case "reserved": {
      const name = room.reservedFor === me ? "you" : nameOf(room.reservedFor);
      const end = room.claimExpiresAt;
      const detail = end === null ? null : `the reservation ends ${inTime(end, nowMs)}`;
      return { mark: "◌", text: `the stick is reserved for ${name}`, detail };
    }
    case "closed":
      return alone("■", `the room is closed after turn ${room.turnId}`);
    case "dormant":
      return alone("○", `nobody is here; the stick is free after turn ${room.turnId}`);
    case "idle":
      return alone("○", `the stick is free after turn ${room.turnId}`);
  }
}

function alone(mark: string, text: string): StickParts {
  return { mark, text, detail: null };
}

/** Null while the room is not paused. */
export function pauseWords({ room, me, nowMs, nameOf }: StickView): readonly [mark: string, text: string] | null {
  if (room.paused === null) return null;
  const { by, since, reason } = room.paused;
  const who = by === me ? "you" : nameOf(by);
  const why = reason === null ? "" : `: ${oneLine(reason)}`;
  return ["‖", `paused by ${who} ${agoOrJustNow(since, nowMs)}${why}`];
}

const MINUTE_MS = 60_000;

/** Ages in a picture change when the clock shows another minute, so that a screen with many of them is quiet. */
function atMinute(nowMs: number): number {
  return nowMs - (nowMs % MINUTE_MS);
}

export function agoOrJustNow(iso: string, nowMs: number): string {
  const ms = atMinute(nowMs) - wallMsOf(iso);
  return ms < MINUTE_MS ? "just now" : `${span(ms)} ago`;
}

/** Where an agent runs. */
export function whereWords(machine: ShownMachine, nowMs: number): string {
  return `on ${machineWords(machine, nowMs)}`;
}

export function machineWords({ name, silentSince }: ShownMachine, nowMs: number): string {
  const silence = silentSince === null ? "" : ` (${notHeardText(silentFor(silentSince, nowMs))})`;
  return `${oneLine(name)}${silence}`;
}

/** Of a silent machine: which one, and for how long. Null, or not silent: only the boot in question is. */
export function silenceWords(machine: ShownMachine | null | undefined, nowMs: number): string {
  if (machine === undefined) return "is silent";
  if (!machine?.silentSince) return "may have been restarted";
  return `${oneLine(machine.name)} has not been heard of for ${span(silentFor(machine.silentSince, nowMs))}`;
}

/** A machine is silent for the better part of a minute before it counts as that. */
function silentFor(since: string, nowMs: number): number {
  return Math.max(MINUTE_MS, atMinute(nowMs) - wallMsOf(since));
}

function inTime(iso: string, nowMs: number): string {
  const ms = wallMsOf(iso) - atMinute(nowMs);
  return ms <= 0 ? "now" : ms < MINUTE_MS ? "within a minute" : `in ${span(ms)}`;
}
