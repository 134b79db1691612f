/** A room as others may see it. The lease is not in here: it is the holder's secret. */
import type { StateCard } from "../../core/event.ts";
import type { Handoff } from "../../core/handoff.ts";
import type { AgentId, Handle, RoomId } from "../../core/ids.ts";
import type { GuardMode } from "../../core/policy.ts";
import type { BootRef } from "../../core/process.ts";
import { wallTimeOf } from "../../core/time.ts";
import type { Given } from "../../session/rules/decision-input.ts";
import { silenceFields } from "../../session/rules/host-silence.ts";
import { type DerivedState, stateOf } from "./derived-state.ts";
import { alivenessIn, leaseDeadline, type MachineOf, machinesBeside, reservationDeadline } from "./liveness.ts";
import { queuePosition } from "./queue.ts";
import type { Member, Pause, Room } from "./room.ts";

export interface RoomSummary {
  readonly roomId: RoomId;
  /** The machine that the path is on; `local` where the store knows one machine only. */
  readonly host: string;
  /** Only for a room of another machine: what people call that machine. */
  readonly hostName?: string;
  /** And for how long it is silent, if it is. */
  readonly hostSilentMs?: number;
  readonly canonicalPath: string;
  readonly project: string;
  readonly state: DerivedState;
  readonly owner: AgentId | null;
  readonly reservedFor: AgentId | null;
  readonly paused: Pause | null;
  readonly turnId: number;
  readonly memberCount: number;
  readonly updatedAt: string;
}

export interface RoomDetail extends RoomSummary {
  /** What happens to a write without the stick. */
  readonly guard: GuardMode;
  readonly leaseExpiresAt: string | null;
  readonly claimExpiresAt: string | null;
  readonly handoff: Handoff | null;
}

export interface MemberView {
  readonly agentId: AgentId;
  readonly handle: Handle | null;
  readonly harness: string;
  readonly status: "active" | "inactive";
  readonly lastSeenAt: string | null;
  readonly waiting: boolean;
  readonly queuePosition: number | null;
  readonly reachable: boolean;
  readonly stateCard: StateCard | null;
  /** What people call its machine; only if that is another one than the reader's. */
  readonly host?: string;
  /** And for how long that is silent, if it is. */
  readonly hostSilentMs?: number;
}

export function summaryOf(room: Room, given: Given): RoomSummary {
  const { owner, reservation, paused, turnId, members } = room.state;
  return {
    roomId: room.id,
    host: room.host,
    canonicalPath: room.path,
    project: room.project,
    state: stateOf(room, given),
    owner,
    reservedFor: reservation?.agentId ?? null,
    paused,
    turnId,
    memberCount: members.size,
    updatedAt: room.updatedAt,
  };
}

export function detailOf(room: Room, given: Given): RoomDetail {
  const leaseEnd = leaseDeadline(room, given);
  const claimEnd = reservationDeadline(room);
  return {
    ...summaryOf(room, given),
    leaseExpiresAt: leaseEnd && wallTimeOf(leaseEnd, given.moment),
    claimExpiresAt: claimEnd && wallTimeOf(claimEnd, given.moment),
    guard: room.policy.guard,
    handoff: room.state.handoff?.handoff ?? null,
  };
}

/** The members that a list shows, and how many it leaves out. */
export interface MemberList {
  readonly members: readonly MemberView[];
  /** Only where there are any: members that are not active, and were away the longest. */
  readonly membersNotListed?: number;
}

/** A list never grows beyond so many members that are not active. */
const MOST_INACTIVE = 20;

/**
 * All who are active, the holder, the next one, the waiters, and the last seen of the others. `self`: a process of the
 * reader's machine; without it nothing is told of machines.
 */
export function listMembers(room: Room, given: Given, self: BootRef | null = null): MemberList {
  const { owner, reservation, members } = room.state;
  const isListed = ({ agentId }: Member) =>
    agentId === owner ||
    agentId === reservation?.agentId ||
    room.waits.has(agentId) ||
    alivenessIn(room, agentId, given).isActive;
  const others = [...members.values()].filter((member) => !isListed(member)).toSorted(lastSeenFirst(room));
  const left = new Set(others.slice(MOST_INACTIVE));
  const machineOf: MachineOf = self ? machinesBeside(self, [room], given) : () => null;
  const listed = membersOf(room, given, (member) => !left.has(member)).map((member) => {
    const machine = machineOf(member.agentId);
    return machine ? { ...member, host: machine.label, ...silenceFields(machine, given.moment.instant) } : member;
  });
  return { members: listed, ...(left.size > 0 && { membersNotListed: left.size }) };
}

function lastSeenFirst({ presence }: Room): (a: Member, b: Member) => number {
  const seen = ({ agentId }: Member) => presence.get(agentId)?.lastSeenAt ?? "";
  return (a, b) => (seen(a) < seen(b) ? 1 : seen(a) > seen(b) ? -1 : 0);
}

function membersOf(room: Room, given: Given, isListed: (member: Member) => boolean): readonly MemberView[] {
  return [...room.state.members.values()]
    .filter(isListed)
    .toSorted((a, b) => a.joinedSeq - b.joinedSeq)
    .map(({ agentId, harness, card }) => {
      const presence = room.presence.get(agentId);
      const { isActive, isWaiting, isReachable } = alivenessIn(room, agentId, given);
      return {
        agentId,
        handle: presence?.handle ?? null,
        harness,
        status: isActive ? "active" : "inactive",
        lastSeenAt: presence?.lastSeenAt ?? null,
        waiting: isWaiting,
        queuePosition: queuePosition(room, given, agentId),
        reachable: isReachable,
        stateCard: card,
      };
    });
}
