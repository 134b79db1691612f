/**
 * By which right a room changed. Every event is judged against what really happened on the machine: nobody loses
 * the stick, a reservation, a place in the queue or membership without a ground, and unknown is never a ground.
 * The rules are written here in their own words, not with the functions they judge.
 */
import type { RoomEvent } from "../../src/core/event.ts";
import type { AgentId } from "../../src/core/ids.ts";
import type { ProcessRef } from "../../src/core/process.ts";
import type { Deadline, Instant, Moment } from "../../src/core/time.ts";
import type { Room, RoomState } from "../../src/room/rules/room.ts";
import type { Caller } from "../../src/session/rules/decision-input.ts";
import type { Wait } from "../../src/session/rules/session.ts";
import type { Machine } from "./machine.ts";
import type { Complain } from "./room-shape.ts";
import type { Call } from "./scheduler.ts";

export interface Actor {
  readonly call: Call;
  readonly caller: Caller;
}

/** One command at work. */
export interface Scene {
  readonly before: Room;
  readonly moment: Moment;
  readonly actor: Actor;
  /** Agents whose reservation expired in this command: their place in the queue went with it. */
  readonly spent: ReadonlySet<AgentId>;
}

/** What the room has been told of an agent's process. */
interface Known {
  /** The process that its last call vouched for; null when it vouched for none. */
  readonly vouched: (agentId: AgentId) => ProcessRef | null;
  /** Since when, in monotonic time, the room has known it by its present process. */
  readonly knownSinceMs: (agentId: AgentId) => number;
}

const PERSONS_ACTS: readonly RoomEvent["type"][] = ["given", "paused", "resumed", "close", "policy_changed"];

const SLEEP_SHOWS_FROM_MS = 1000;
const AWAKE_AFTER_SLEEP_MS = 60_000;

export class Judge {
  readonly #machine: Machine;
  readonly #demand: Complain;
  readonly #known: Known;

  constructor(machine: Machine, demand: Complain, known: Known) {
    this.#machine = machine;
    this.#demand = demand;
    this.#known = known;
  }

  /** `state` is the state just before `event`. */
  judge(event: RoomEvent, state: RoomState, scene: Scene): void {
    const demand: Complain = (condition, complaint) => this.#demand(condition, `${event.type}: ${complaint}`);
    const isGrant = event.type === "claim" || event.type === "takeover";
    const isInTurn = event.turnId === state.turnId + (isGrant ? 1 : 0);
    // Git answers after the turn, and perhaps after the next ones.
    const isLater = event.type === "evidence_attached" && event.turnId <= state.turnId;
    demand(isInTurn || isLater, `turn ${event.turnId} after turn ${state.turnId}`);
    this.#judgeStick(event, state, scene, demand);
    this.#judgeMembership(event, state, scene, demand);
    if ("reservedFor" in event.payload && state.status !== "closed") {
      this.#judgeQueue(event, event.payload.reservedFor, state, scene);
    }
  }

  #judgeStick(event: RoomEvent, state: RoomState, scene: Scene, demand: Complain): void {
    const { owner, reservation } = state;
    const { before: room, moment, actor } = scene;
    if (event.type === "claim") {
      demand(owner === null && state.status !== "closed", `granted while ${owner} holds`);
      demand(!reservation || reservation.agentId === event.fromAgentId, `reserved for ${reservation?.agentId}`);
      demand(reservation || actor.call.command.waits?.claims, "an idle stick was claimed by a call that only listens");
      demand(!state.paused || actor.caller.isPerson, "an agent was given the stick of a paused room");
    } else if (event.type === "release" || event.type === "pass") {
      demand(owner === event.fromAgentId, `by ${event.fromAgentId} while ${owner} holds`);
      demand(!state.paused || event.type === "release", "in a paused room");
    } else if (event.type === "takeover") {
      const { ground, revokedAgentId } = event.payload;
      demand(owner === revokedAgentId, `from ${revokedAgentId} while ${owner} holds`);
      demand(!state.paused || actor.caller.isPerson, "by an agent, in a paused room");
      if (ground === "owner_gone") demand(this.#isGone(revokedAgentId, scene), `${owner} is not gone`);
      else if (ground === "owner_timeout") demand(this.#leaseIsOver(revokedAgentId, scene), `${owner} has a lease`);
      else demand(actor.caller.isPerson, "an agent overrode a live owner");
    } else if (PERSONS_ACTS.includes(event.type)) {
      demand(actor.caller.isPerson, "by an agent");
      if (event.type === "given") demand(event.payload.revokedAgentId === owner, `while ${owner} holds`);
    } else if (event.type === "reservation_expired") {
      const { agentId } = reservation!;
      demand(event.toAgentId === agentId, `${event.toAgentId} had no reservation`);
      const { cause } = event.payload;
      demand(cause !== "timeout" || !state.paused, `${agentId} lost its reservation in a paused room`);
      if (cause === "timeout") demand(isOver(room.claimDeadline!, room, moment), `${agentId} had time left`);
      else if (cause === "recipient_gone") demand(this.#isGone(agentId, scene), `${agentId} is there`);
      else {
        const itself = actor.call.cancel.signal.aborted && agentId === actor.caller.agentId;
        demand(itself && reservation!.via === "sequence", `${agentId} did not give it up`);
      }
    }
  }

  #judgeMembership(event: RoomEvent, { owner }: RoomState, scene: Scene, demand: Complain): void {
    const { before: room, moment, actor } = scene;
    if (event.type === "kick") {
      const target = event.toAgentId!;
      demand(actor.caller.isPerson || this.#isGone(target, scene), `${target} is not gone`);
    }
    if (event.type !== "member_left") return;
    const { reason } = event.payload;
    const agentId = event.fromAgentId!;
    if (reason === "left" || reason === "session_ended") {
      demand(agentId === actor.caller.agentId, "by another agent");
      return;
    }
    demand(owner !== agentId, `the owner ${owner} was removed`);
    const { presenceTtlMs, idleRoomTtlMs } = room.policy;
    // Members are asked for signs of life once they were silent for long, and not before.
    const wasAsked = this.#silentMs(agentId, room, actor.call.readAt, null) >= Math.min(presenceTtlMs, idleRoomTtlMs);
    const silentMs = this.#silentMs(agentId, room, moment.instant, wasAsked ? actor : null);
    const hasLeft = reason === "expired" || this.#isGone(agentId, scene);
    demand(hasLeft && silentMs >= (reason === "expired" ? idleRoomTtlMs : presenceTtlMs), `${agentId} is there`);
  }

  /**
   * The fairest of the waiters is next, and nobody is next only when nobody waits. A waiter whose call died before its
   * end comes last: it is not next while another one waits that lives.
   */
  #judgeQueue(event: RoomEvent, next: AgentId | null, state: RoomState, scene: Scene): void {
    const { before: room, moment, spent } = scene;
    const out = event.type === "member_left" ? event.fromAgentId : (event.toAgentId ?? event.fromAgentId);
    const yields = event.type === "release" ? state.owner : out;
    const isFree = event.type === "resumed" && state.status === "idle";
    if (event.type === "resumed") this.#demand(isFree || next === null, "resumed: the stick was not free");
    if (!isFree && (event.type === "resumed" || (yields !== state.owner && yields !== state.reservation?.agentId)))
      return;
    const place = (id: AgentId) => Math.max(state.members.get(id)!.joinedSeq, state.members.get(id)!.heldSeq ?? 0);
    if (next !== null) {
      this.#demand(room.waits.get(next)?.claims === true, `${next} is next and does not wait`);
      this.#demand(!this.#isPlainlyDead(next, scene), `${next} is next and its process is dead`);
    }
    const nextIsCutOff = next !== null && this.#isPlainlyCutOff(room.waits.get(next)!, scene);
    for (const wait of room.waits.values()) {
      const { agentId } = wait;
      if (!wait.claims || (agentId === yields && !isFree) || agentId === next || spent.has(agentId)) continue;
      if (!state.members.has(agentId) || this.#waitIsOver(wait, room, moment)) continue;
      this.#demand(
        !nextIsCutOff || this.#mayBeCutOff(wait, scene),
        `${next}, whose call is dead, is before ${agentId}`,
      );
      if (next !== null && place(agentId) > place(next)) continue;
      this.#demand(next !== null && this.#mayBeCutOff(wait, scene), `${event.type}: ${agentId} was passed over`);
    }
  }

  /** Its call's process ended, by now, before the call was over; a sleep of the machine makes calls last longer. */
  #mayBeCutOff(wait: Wait, { before, moment }: Scene): boolean {
    if (wait.caller === null) return true;
    const slept = moment.suspendedMs - before.suspendedMs > SLEEP_SHOWS_FROM_MS;
    const callEndsAtMs = wait.deadline.ms - before.policy.waitGraceMs;
    return !this.#machine.isRunning(wait.caller) && (slept || callEndsAtMs > moment.instant.ms);
  }

  /** The same, so that everybody who looked when the actor did must have found it. */
  #isPlainlyCutOff(wait: Wait, { before, moment, actor }: Scene): boolean {
    if (wait.caller === null) return true;
    if (wait.caller.pidNamespace !== actor.call.process.pidNamespace) return false;
    const callEndsAtMs = wait.deadline.ms - before.policy.waitGraceMs;
    return !this.#machine.mayHaveRunAt(wait.caller, actor.call.readAtMs) && callEndsAtMs > moment.instant.ms;
  }

  /** Whether a call that looked when this one did must have found its own harness dead. */
  isPlainlyOrphaned({ call, caller }: Actor): boolean {
    return caller.process !== null && !this.#machine.mayHaveRunAt(caller.process, call.readAtMs);
  }

  /** Whether everybody who looked when `actor` did must have found the agent gone. */
  isPlainlyGone(agentId: AgentId, scene: Scene): boolean {
    const { process = null, sessionId = null } = scene.before.presence.get(agentId) ?? {};
    const { readAtMs } = scene.actor.call;
    if (process && this.#machine.mayHaveRunAt(process, readAtMs)) return false;
    // Not even its name was in the room that was read.
    if (process && this.#known.knownSinceMs(agentId) >= readAtMs) return false;
    if (sessionId !== null && this.#machine.mayHaveSignedAt(sessionId, readAtMs)) return false;
    return this.#isGone(agentId, scene);
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

  #isPlainlyDead(agentId: AgentId, { before, actor }: Scene): boolean {
    const process = before.presence.get(agentId)?.process ?? null;
    if (!process || process.pidNamespace !== actor.call.process.pidNamespace) return false;
    return !this.#machine.mayHaveRunAt(process, actor.call.readAtMs);
  }

  /** Its time is over, its agent's process is dead, or its caller's is and there is no grace. */
  #waitIsOver(wait: Wait, room: Room, moment: Moment): boolean {
    const isDead = (process: ProcessRef | null) => process !== null && !this.#machine.isRunning(process);
    if (isOver(wait.deadline, room, moment) || isDead(room.presence.get(wait.agentId)?.process ?? null)) return true;
    return room.policy.waitGraceMs === 0 && isDead(wait.caller);
  }

  /** Its own process is dead, as an agent on this side of the wall can know, and nothing was heard for the grace. */
  #isGone(agentId: AgentId, { before: room, moment, actor }: Scene): boolean {
    const process = room.presence.get(agentId)?.process ?? null;
    if (!process || !this.#known.vouched(agentId) || this.#machine.isRunning(process)) return false;
    const rebooted = process.bootId !== actor.call.process.bootId;
    if (!rebooted && process.pidNamespace !== actor.call.process.pidNamespace) return false;
    return this.#silentMs(agentId, room, moment.instant, actor) >= room.policy.goneGraceMs;
  }

  /** With `actor`, signs of life count that it must have seen. */
  #silentMs(agentId: AgentId, room: Room, now: Instant, actor: Actor | null): number {
    const { lastSeen, sessionId } = room.presence.get(agentId)!;
    const sign = sessionId === null || !actor ? null : this.#machine.signSeenAt(sessionId, actor.call.readAtMs);
    const times = [lastSeen, ...(sign ? [sign] : [])].filter(({ epoch }) => epoch === now.epoch);
    return now.ms - Math.max(Number.NEGATIVE_INFINITY, ...times.map(({ ms }) => ms));
  }

  #leaseIsOver(owner: AgentId, { before: room, moment, actor }: Scene): boolean {
    const sessionId = room.presence.get(owner)?.sessionId ?? null;
    const sign = sessionId === null ? null : this.#machine.signSeenAt(sessionId, actor.call.readAtMs);
    const { epoch, ms } = moment.instant;
    const { deadline } = room.lease!;
    const bySign = sign?.epoch === epoch && deadline.epoch === epoch ? sign.ms + room.policy.leaseTtlMs : 0;
    return bySign <= ms && isOver(deadline, room, moment);
  }
}

/**
 * A deadline of an earlier boot is over; one that the machine slept through is not, unless it had passed before: a
 * member was there since, or the machine was awake for longer than it and the grace after a sleep allow.
 */
function isOver(deadline: Deadline, room: Room, moment: Moment): boolean {
  const { epoch, ms } = moment.instant;
  if (deadline.epoch !== epoch) return true;
  const sleptMs = moment.suspendedMs - room.suspendedMs;
  if (sleptMs <= SLEEP_SHOWS_FROM_MS) return deadline.ms <= ms;
  const wasSeen = [...room.presence.values()].some(({ lastSeen: at }) => at.epoch === epoch && at.ms >= deadline.ms);
  return wasSeen || deadline.ms <= ms - sleptMs - AWAKE_AFTER_SLEEP_MS;
}
