/**
 * A stick in one page, written from the specification and from nothing else: who may do what in which state,
 * and what the room is like afterwards. It knows no clocks, no leases and no queue; it replays a log, says
 * which rule each event broke, and goes on as if the event had been allowed, so that one breach is one finding.
 */
import type { EventView } from "../../../src/room/rules/event-view.ts";

/** The room after one event of its log. */
export interface Picture {
  readonly status: "idle" | "owned" | "reserved";
  readonly turnId: number;
  readonly owner: string | null;
  readonly reservedFor: string | null;
  /** Whether the reservation was made by a pass or by the queue. */
  readonly via: "pass" | "sequence" | null;
  /** The status line of the handoff that belongs to the turn, which is its tag. */
  readonly handoff: string | null;
  readonly handoffFrom: string | null;
  readonly memberCount: number;
  /** Who released last, while nobody was granted the stick since: the only one an idle stick may be denied to. */
  readonly stepsBack: string | null;
}

export const EMPTY_ROOM: Picture = {
  status: "idle",
  turnId: 0,
  owner: null,
  reservedFor: null,
  via: null,
  handoff: null,
  handoffFrom: null,
  memberCount: 0,
  stepsBack: null,
};

interface Payload {
  readonly reason?: string;
  readonly reservedFor?: string | null;
  readonly revokedAgentId?: string;
  readonly wasOwner?: boolean;
  readonly wasReservedFor?: boolean;
  readonly turnId?: number | null;
  readonly preview?: string;
  readonly ground?: string;
  readonly cause?: string;
}

export function payloadOf(event: EventView): Payload {
  return event.payload;
}

type Members = ReadonlySet<string>;

interface EventRules {
  /** The first rule the event breaks, or null. */
  readonly breach: (room: Picture, members: Members, event: EventView) => string | null;
  readonly after: (room: Picture, event: EventView) => Picture;
}

const RULES: Readonly<Record<string, EventRules>> = {
  claim: {
    breach(room, members, event) {
      const { reason } = payloadOf(event);
      if (room.owner !== null) return `claimed while ${room.owner} holds`;
      if (event.turnId !== room.turnId + 1) return `turn ${event.turnId} granted after turn ${room.turnId}`;
      if (!members.has(event.fromAgentId ?? "")) return "claimed by an agent that is not a member";
      if (room.status === "idle") return reason === "open_claim" ? null : `an idle stick claimed as ${reason}`;
      if (room.reservedFor !== event.fromAgentId) return `claimed while reserved for ${room.reservedFor}`;
      return reason === (room.via === "pass" ? "direct_pass" : "sequence") ? null : `${room.via} claimed as ${reason}`;
    },
    after: granted,
  },
  takeover: {
    breach(room, members, event) {
      if (room.owner === null) return "taken over from nobody";
      if (room.owner === event.fromAgentId) return "taken over by the owner itself";
      if (event.turnId !== room.turnId + 1) return `turn ${event.turnId} taken after turn ${room.turnId}`;
      if (payloadOf(event).revokedAgentId !== room.owner || event.toAgentId !== room.owner) {
        return `revoked ${payloadOf(event).revokedAgentId}, but ${room.owner} holds`;
      }
      return members.has(event.fromAgentId ?? "") ? null : "taken by an agent that is not a member";
    },
    after: granted,
  },
  release: {
    breach(room, members, event) {
      const { reservedFor = null } = payloadOf(event);
      if (reservedFor !== event.toAgentId) return "its two columns name different agents";
      return handingOver(room, event) ?? nextOne(members, event.fromAgentId, reservedFor);
    },
    after: (room, event) => freed(withHandoff(room, event), payloadOf(event).reservedFor ?? null, event.fromAgentId),
  },
  pass: {
    breach(room, members, event) {
      return handingOver(room, event) ?? nextOne(members, event.fromAgentId, event.toAgentId ?? "nobody");
    },
    after: (room, event) => reserved(withHandoff(room, event), event.toAgentId, "pass"),
  },
  reservation_expired: {
    breach(room, members, event) {
      if (room.reservedFor === null) return "expired without a reservation";
      if (room.reservedFor !== event.toAgentId) return `expired for ${event.toAgentId}, reserved ${room.reservedFor}`;
      return nextOne(members, event.toAgentId, payloadOf(event).reservedFor ?? null);
    },
    after: (room, event) => freed(room, payloadOf(event).reservedFor ?? null, room.stepsBack),
  },
  member_joined: {
    breach(_room, members, event) {
      const { reason } = payloadOf(event);
      const isFirst = reason === "first";
      return isFirst && members.has(event.fromAgentId ?? "") ? "joined as if for the first time" : null;
    },
    // Whether it counts depends on whether it is a member, which the timeline knows.
    after: (room) => room,
  },
  member_left: {
    breach(room, members, event) {
      const { reason, wasOwner, wasReservedFor, reservedFor = null } = payloadOf(event);
      const who = event.fromAgentId ?? "";
      if (!members.has(who)) return "left without being a member";
      if (wasOwner !== (room.owner === who)) return `left as owner: ${wasOwner}, but ${room.owner} holds`;
      if (wasReservedFor !== (room.reservedFor === who)) return `left as next: ${wasReservedFor}`;
      if (reason !== "left" && (wasOwner || wasReservedFor)) return "the stick was taken by settling";
      return nextOne(members, who, reservedFor) ?? (reservedFor && !wasOwner && !wasReservedFor ? "gave away" : null);
    },
    after(room, event) {
      const { wasOwner, wasReservedFor, reservedFor = null } = payloadOf(event);
      return wasOwner || wasReservedFor ? freed(room, reservedFor, room.stepsBack) : room;
    },
  },
  note_added: {
    breach(room, members, event) {
      const { turnId = null } = payloadOf(event);
      if (!members.has(event.fromAgentId ?? "")) return "noted by an agent that is not a member";
      return turnId === null || (turnId >= 0 && turnId <= room.turnId) ? null : `a note about turn ${turnId}`;
    },
    after: (room) => room,
  },
};

function handingOver(room: Picture, event: EventView): string | null {
  if (room.owner === null) return "handed over while nobody holds";
  if (room.owner !== event.fromAgentId) return `handed over by ${event.fromAgentId}, but ${room.owner} holds`;
  return event.handoff === null ? "handed over without a handoff" : null;
}

function nextOne(members: Members, giver: string | null, next: string | null): string | null {
  if (next === null) return null;
  if (next === giver) return `reserved for ${next}, who just gave it away`;
  return members.has(next) ? null : `reserved for ${next}, who is not a member`;
}

function granted(room: Picture, event: EventView): Picture {
  const { turnId, fromAgentId: owner } = event;
  return { ...room, status: "owned", owner, turnId, reservedFor: null, via: null, stepsBack: null };
}

function reserved(room: Picture, reservedFor: string | null, via: "pass" | "sequence"): Picture {
  return { ...room, status: "reserved", owner: null, reservedFor, via, stepsBack: null };
}

function freed(room: Picture, next: string | null, giver: string | null): Picture {
  if (next !== null) return { ...reserved(room, next, "sequence"), stepsBack: giver };
  return { ...room, status: "idle", owner: null, reservedFor: null, via: null, stepsBack: giver };
}

function withHandoff(room: Picture, event: EventView): Picture {
  return { ...room, handoff: event.handoff?.status ?? null, handoffFrom: event.fromAgentId };
}

/** What an event of the log breaks, if anything; `members` are those before it. */
export function breachOf(room: Picture, members: Members, event: EventView): string | null {
  const rules = RULES[event.eventType];
  if (!rules) return "nobody asked for such an event";
  const grants = event.eventType === "claim" || event.eventType === "takeover";
  if (!grants && event.turnId !== room.turnId) return `says turn ${event.turnId} in turn ${room.turnId}`;
  return rules.breach(room, members, event);
}

export function pictureAfter(room: Picture, event: EventView): Picture {
  return RULES[event.eventType]?.after(room, event) ?? room;
}
