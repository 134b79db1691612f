/**
 * The room: everything a decision may look at, loaded whole and replaced whole.
 *
 * Two kinds of truth live side by side. `state` is what the log says and can be rebuilt from it. The rest (lease,
 * deadlines, presence, waits) are promises about time: they are true now and expire after a while, so they are not
 * history. Values are immutable; a decision returns a new room, and the store saves what differs.
 *
 * Held together by these rules, which the simulator checks after every step:
 *   owned    ⇔ owner and lease are set          reserved ⇔ reservation and claimDeadline are set
 *   the owner and the reserved agent are members; every presence and every wait belongs to a member
 */
import type { StateCard } from "../../core/event.ts";
import type { Check, Handoff } from "../../core/handoff.ts";
import type { AgentId, LeaseId, RoomId } from "../../core/ids.ts";
import type { Policy } from "../../core/policy.ts";
import type { Deadline } from "../../core/time.ts";
import type { Presence, Wait } from "../../session/rules/session.ts";

export type StoredStatus = "idle" | "owned" | "reserved" | "closed";

/** A member as the log knows it. The later of `joinedSeq` and `heldSeq` is its place in the queue. */
export interface Member {
  readonly agentId: AgentId;
  readonly harness: string;
  readonly joinedSeq: number;
  /** The event that ended its last turn; null when it never held the stick. */
  readonly heldSeq: number | null;
  readonly card: StateCard | null;
}

/** The smaller this number, the longer the member has been waiting for its turn. */
export function placeOf(member: Member): number {
  return Math.max(member.joinedSeq, member.heldSeq ?? 0);
}

export interface Reservation {
  readonly agentId: AgentId;
  /** `pass`: the holder, or a person, chose this agent. `sequence`: it was next in the queue. */
  readonly via: "pass" | "sequence";
  /** The person who chose it. */
  readonly givenBy: AgentId | null;
}

/** A person stopped the room: until it is resumed, no agent is given the stick. */
export interface Pause {
  readonly by: AgentId;
  readonly since: string;
  readonly reason: string | null;
}

/** The handoff that granted the current turn, or will grant the next one. */
export interface AttachedHandoff {
  readonly handoff: Handoff;
  readonly fromAgentId: AgentId;
  readonly seq: number;
  /** The event that brought its evidence; null if the evidence is still pending, or nothing more was to come. */
  readonly evidenceSeq: number | null;
}

export interface RoomState {
  readonly status: StoredStatus;
  readonly turnId: number;
  readonly owner: AgentId | null;
  readonly reservation: Reservation | null;
  readonly handoff: AttachedHandoff | null;
  /** The commit that was checked out when the current turn began, if the directory is in a repository. */
  readonly turnHead: string | null;
  /** The newest checks of the current turn. */
  readonly checks: readonly Check[];
  readonly paused: Pause | null;
  readonly members: ReadonlyMap<AgentId, Member>;
  readonly lastSeq: number;
}

export interface Lease {
  readonly leaseId: LeaseId;
  readonly deadline: Deadline;
}

export interface Room {
  readonly id: RoomId;
  readonly host: string;
  readonly path: string;
  readonly project: string;
  readonly policy: Policy;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly state: RoomState;
  readonly lease: Lease | null;
  readonly claimDeadline: Deadline | null;
  /** The releaser may not claim again before this while another member waits. */
  readonly cooldown: { readonly agentId: AgentId; readonly until: Deadline } | null;
  /** How long the machine had slept when the deadlines above were last set or checked. */
  readonly suspendedMs: number;
  readonly presence: ReadonlyMap<AgentId, Presence>;
  readonly waits: ReadonlyMap<AgentId, Wait>;
}

export const INITIAL_STATE: RoomState = {
  status: "idle",
  turnId: 0,
  owner: null,
  reservation: null,
  handoff: null,
  turnHead: null,
  checks: [],
  paused: null,
  members: new Map(),
  lastSeq: 0,
};

export interface NewRoom {
  readonly id: RoomId;
  readonly host: string;
  readonly path: string;
  readonly project: string;
  readonly policy: Policy;
  readonly createdAt: string;
}

export function createRoom(room: NewRoom): Room {
  return {
    ...room,
    updatedAt: room.createdAt,
    state: INITIAL_STATE,
    lease: null,
    claimDeadline: null,
    cooldown: null,
    suspendedMs: 0,
    presence: new Map(),
    waits: new Map(),
  };
}

export function withEntry<K, V>(map: ReadonlyMap<K, V>, key: K, value: V): ReadonlyMap<K, V> {
  return new Map(map).set(key, value);
}

export function withoutEntry<K, V>(map: ReadonlyMap<K, V>, key: K): ReadonlyMap<K, V> {
  if (!map.has(key)) return map;
  const rest = new Map(map);
  rest.delete(key);
  return rest;
}
