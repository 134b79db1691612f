/**
 * By which right a room changed. Every event is judged against what really happened on the machine: nobody loses
 * the stick, a reservation, a place in the queue or membership without a ground, and unknown is never a ground.
 * The rules are written here in their own words, not with the functions they judge.
 */
import type { RoomEvent } from "../../src/domain/event.ts";
import type { AgentId } from "../../src/domain/ids.ts";
import type { ProcessRef } from "../../src/domain/process.ts";
import type { Room, RoomState, Wait } from "../../src/domain/room/room.ts";
import type { Deadline, Moment } from "../../src/domain/time.ts";
import type { Machine } from "./machine.ts";
import type { Complain } from "./room-shape.ts";

export interface Actor {
  readonly id: string;
  readonly isPerson: boolean;
  /** The process that looked at the others. */
  readonly process: ProcessRef;
  /** When the acting call gathered its evidence. */
  readonly readAtMs: number;
}

/** One command at work. */
export interface Scene {
  readonly before: Room;
  readonly moment: Moment;
  readonly actor: Actor;
  /** Agents whose reservation ran out in this very command: their place in the queue went with it. */
  readonly spent: ReadonlySet<AgentId>;
}

const SLEEP_SHOWS_FROM_MS = 1000;

export class Judge {
  readonly #machine: Machine;
  readonly #demand: Complain;
  /** The process that an agent's last call vouched for; null when it vouched for none. */
  readonly #vouched: (agentId: AgentId) => ProcessRef | null;

  constructor(machine: Machine, vouched: (agentId: AgentId) => ProcessRef | null, demand: Complain) {
    this.#machine = machine;
    this.#vouched = vouched;
    this.#demand = demand;
  }

  /** `state` is the state just before `event`, `room` the room before the whole command. */
  judge(event: RoomEvent, state: RoomState, { before: room, moment, actor, spent }: Scene): void {
    const demand: Complain = (condition, complaint) => this.#demand(condition, `${event.type}: ${complaint}`);
    const { owner, reservation, turnId } = state;
    const gone = (agentId: AgentId, silentMs: number) => this.#isGone(room, agentId, moment, actor, silentMs);
    const grace = room.policy.goneGraceMs;
    const isGrant = event.type === "claim" || event.type === "takeover";
    demand(event.turnId === turnId + (isGrant ? 1 : 0), `turn ${event.turnId} after turn ${turnId}`);
    switch (event.type) {
      case "claim":
        demand(owner === null && state.status !== "closed", `granted while ${owner} holds`);
        demand(!reservation || reservation.agentId === event.fromAgentId, `reserved for ${reservation?.agentId}`);
        break;
      case "release":
      case "pass":
        demand(owner === event.fromAgentId, `by ${event.fromAgentId} while ${owner} holds`);
        break;
      case "takeover": {
        demand(owner === event.payload.revokedAgentId && owner !== null, `from ${owner}`);
        if (event.payload.ground === "owner_gone") demand(gone(owner, grace), `${owner} is not gone`);
        else if (event.payload.ground === "owner_timeout") {
          demand(this.#leaseIsOver(room, owner, moment, actor), `the lease of ${owner} runs`);
        } else demand(actor.isPerson, "an agent overrode a live owner");
        break;
      }
      case "close":
        demand(actor.isPerson, "by an agent");
        break;
      case "kick": {
        const target = event.toAgentId!;
        demand(actor.isPerson || gone(target, grace), `${target} is not gone`);
        break;
      }
      case "member_left": {
        const { reason } = event.payload;
        if (reason === "left" || reason === "session_ended") {
          demand(event.fromAgentId === actor.id, "by somebody else");
          break;
        }
        const agentId = event.fromAgentId!;
        demand(owner !== agentId, `the owner ${owner} was removed`);
        const { presenceTtlMs, idleRoomTtlMs } = room.policy;
        const left = reason === "process_gone" ? gone(agentId, Math.max(presenceTtlMs, grace)) : null;
        demand(left ?? this.#silentMs(room, agentId, moment, actor) >= idleRoomTtlMs, `${agentId} is there`);
        break;
      }
      case "reservation_expired": {
        const { agentId } = reservation!;
        demand(event.toAgentId === agentId, `${event.toAgentId} had no reservation`);
        const timedOut = event.payload.cause === "timeout";
        demand(timedOut ? isOver(room.claimDeadline!, room, moment) : gone(agentId, grace), `${agentId} had time left`);
        break;
      }
      default:
        break;
    }
    if ("reservedFor" in event.payload && state.status !== "closed") {
      this.#judgeQueue(event, event.payload.reservedFor, state, { before: room, moment, actor, spent });
    }
  }

  /** The fairest of those who wait is next, and nobody is next only when nobody waits. */
  #judgeQueue(event: RoomEvent, next: AgentId | null, state: RoomState, scene: Scene): void {
    const { before: room, moment, spent } = scene;
    const out = event.type === "member_left" ? event.fromAgentId : (event.toAgentId ?? event.fromAgentId);
    const yields = event.type === "release" ? state.owner : out;
    if (yields !== state.owner && yields !== state.reservation?.agentId) return;
    const place = (id: AgentId) => Math.max(state.members.get(id)!.joinedSeq, state.members.get(id)!.heldSeq ?? 0);
    if (next !== null) this.#demand(room.waits.get(next)?.claims === true, `${next} is next and does not wait`);
    for (const wait of room.waits.values()) {
      const { agentId } = wait;
      if (!wait.claims || agentId === yields || agentId === next || spent.has(agentId)) continue;
      if (!state.members.has(agentId) || (next !== null && place(agentId) > place(next))) continue;
      this.#demand(this.#waitIsOver(wait, room, moment), `${event.type}: ${agentId} was passed over`);
    }
  }

  /** Whether a place in the queue may have been lost. */
  mayLoseWait(agentId: AgentId, after: Room, { before, moment, spent }: Scene): boolean {
    return (
      this.#waitIsOver(before.waits.get(agentId)!, before, moment) ||
      after.state.owner === agentId ||
      after.state.status === "closed" ||
      !after.state.members.has(agentId) ||
      spent.has(agentId)
    );
  }

  /** Its time is over, its agent's process is dead, or its caller's is and there is no grace. */
  #waitIsOver(wait: Wait, room: Room, moment: Moment): boolean {
    const isDead = (process: ProcessRef | null) => process !== null && !this.#machine.isRunning(process);
    if (isOver(wait.deadline, room, moment) || isDead(room.presence.get(wait.agentId)?.process ?? null)) return true;
    return room.policy.waitGraceMs === 0 && isDead(wait.caller);
  }

  #isGone(room: Room, agentId: AgentId, moment: Moment, actor: Actor, silentForMs: number): boolean {
    const process = room.presence.get(agentId)?.process ?? null;
    if (!process || !this.#vouched(agentId) || this.#machine.isRunning(process)) return false;
    const rebooted = process.bootId !== actor.process.bootId;
    if (!rebooted && process.pidNamespace !== actor.process.pidNamespace) return false;
    return this.#silentMs(room, agentId, moment, actor) >= silentForMs;
  }

  #silentMs(room: Room, agentId: AgentId, moment: Moment, actor: Actor): number {
    const { lastSeen, sessionId } = room.presence.get(agentId)!;
    const sign = sessionId === null ? null : this.#machine.signSeenAt(sessionId, actor.readAtMs);
    const times = [lastSeen, ...(sign ? [sign] : [])].filter(({ epoch }) => epoch === moment.instant.epoch);
    return moment.instant.ms - Math.max(Number.NEGATIVE_INFINITY, ...times.map(({ ms }) => ms));
  }

  #leaseIsOver(room: Room, owner: AgentId, moment: Moment, actor: Actor): boolean {
    const sessionId = room.presence.get(owner)?.sessionId ?? null;
    const sign = sessionId === null ? null : this.#machine.signSeenAt(sessionId, actor.readAtMs);
    const signed = sign?.epoch === room.lease!.deadline.epoch ? sign.ms + room.policy.leaseTtlMs : 0;
    if (signed > moment.instant.ms && sign?.epoch === moment.instant.epoch) return false;
    return isOver(room.lease!.deadline, room, moment);
  }
}

/** A deadline of an earlier boot is over; one that the machine slept through is not. */
function isOver(deadline: Deadline, room: Room, moment: Moment): boolean {
  if (deadline.epoch !== moment.instant.epoch) return true;
  if (moment.suspendedMs - room.suspendedMs > SLEEP_SHOWS_FROM_MS) return false;
  return deadline.ms <= moment.instant.ms;
}
