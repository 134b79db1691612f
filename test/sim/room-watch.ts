/** Watches one room: folds its log, compares it with what is stored, and judges every commit. */
import { isDeepStrictEqual } from "node:util";
import type { EventOf, RoomEvent } from "../../src/core/event.ts";
import type { AgentId, LeaseId, NoteId } from "../../src/core/ids.ts";
import type { ProcessRef } from "../../src/core/process.ts";
import { isRefusal, type Refusal } from "../../src/core/refusal.ts";
import type { Moment } from "../../src/core/time.ts";
import type { Changed, Store } from "../../src/engine/ports/store.ts";
import { evolve } from "../../src/room/rules/evolve.ts";
import { evolveNotes, type Note } from "../../src/room/rules/note.ts";
import { type AttachedHandoff, INITIAL_STATE, type Room, type RoomState } from "../../src/room/rules/room.ts";
import type { Machine } from "./machine.ts";
import { type Complain, checkSettled, checkShape } from "./room-shape.ts";
import { type Actor, Judge, type Scene } from "./transitions.ts";

const SETTLING_EVENTS = new Set(["reservation_expired", "member_left"]);

export class RoomWatch {
  room: Room;
  readonly #store: Store;
  readonly #machine: Machine;
  readonly #demand: Complain;
  readonly #judge: Judge;
  readonly #vouched = new Map<AgentId, ProcessRef | null>();
  /** Since when the room has known each agent by its present process. */
  readonly #knownSinceMs = new Map<AgentId, number>();
  readonly #leases = new Set<LeaseId>();
  #state: RoomState = INITIAL_STATE;
  #notes: ReadonlyMap<NoteId, Note> = new Map();
  readonly #events: RoomEvent[] = [];
  #grants = 0;

  constructor(store: Store, machine: Machine, room: Room, demand: Complain) {
    this.#store = store;
    this.#machine = machine;
    this.room = room;
    this.#demand = demand;
    this.#judge = new Judge(machine, demand, {
      vouched: (agentId) => this.#vouched.get(agentId) ?? null,
      knownSinceMs: (agentId) => this.#knownSinceMs.get(agentId) ?? 0,
    });
  }

  get events(): readonly RoomEvent[] {
    return this.#events;
  }

  async afterCommit(changed: Changed<unknown>, actor: Actor): Promise<void> {
    const { before, decision, moment } = changed;
    const { room, events } = decision.change;
    this.#demand(isDeepStrictEqual(before, this.room), "a command saw a room that was not the stored one");
    const stored = await this.#store.readRoom(room.id);
    this.#demand(isDeepStrictEqual(stored?.room, room), "the store holds another room than was decided");
    const logged = await this.#store.readEvents(room.id, before.state.lastSeq, 1000);
    this.#demand(isDeepStrictEqual(logged, events), "the log holds other events than were decided");

    const spent = new Set(events.flatMap((event) => (event.type === "reservation_expired" ? event.toAgentId! : [])));
    const scene: Scene = { before, moment, actor, spent };
    for (const event of events) this.#fold(event, scene);
    this.#demand(isDeepStrictEqual(room.state, this.#state), "the log does not rebuild the state");
    checkShape(room, this.#demand);
    this.#checkTurn(before, room, events);
    this.#checkWaits(room, scene, decision.answer);
    // The hand-over was judged by its own commit.
    if (!events.some(isEvidence)) this.#checkToken(before, actor, decision.answer);
    if (this.#judge.isPlainlyOrphaned(actor)) this.#checkOrphan(room, scene);
    if (isRefusal(decision.answer)) this.#checkRefusal(room, scene, decision.answer, events);
    else this.#checkAnswer(room, actor, decision.answer);
    this.#noteVoucher(before, room, actor);
    this.#noteProcesses(before, room);
    this.room = room;
  }

  /** The same checks from the stored log alone, and its notes. */
  async checkWhole(): Promise<void> {
    const events: RoomEvent[] = [];
    for (;;) {
      const batch = await this.#store.readEvents(this.room.id, events.length, 500);
      if (batch.length === 0) break;
      events.push(...batch);
    }
    const stored = await this.#store.readRoom(this.room.id);
    this.#demand(isDeepStrictEqual(stored?.room, this.room), "the stored room changed without a commit");
    const state = events.reduce(evolve, INITIAL_STATE);
    this.#demand(isDeepStrictEqual(state, this.room.state), "the whole log does not rebuild the state");
    const notes = await this.#store.readNotes(this.room.id, 10_000, { unresolvedOnly: false });
    this.#demand(isDeepStrictEqual(notes, [...this.#notes.values()]), "the log does not rebuild the notes");
    const unresolved = await this.#store.readNotes(this.room.id, 10_000, { unresolvedOnly: true });
    const open = [...this.#notes.values()].filter((note) => note.resolvedAt === null);
    this.#demand(isDeepStrictEqual(unresolved, open), "the unresolved notes are not those that nobody resolved");
  }

  checkAtRest(moment: Moment): void {
    checkSettled(this.room, this.#machine, moment, this.#demand);
  }

  #fold(event: RoomEvent, scene: Scene): void {
    this.#judge.judge(event, this.#state, scene);
    this.#events.push(event);
    const { handoff } = this.#state;
    this.#state = evolve(this.#state, event);
    this.#notes = evolveNotes(this.#notes, event);
    const replaces = event.type === "release" || event.type === "pass";
    const kept = replaces ? this.#state.handoff?.handoff === event.handoff : this.#state.handoff === handoff;
    this.#demand(kept || isEvidence(event), `${event.type} did not leave the right handoff attached`);
    if (isEvidence(event)) this.#checkEvidence(event, handoff);
    if (event.type === "claim" || event.type === "takeover") this.#grants += 1;
  }

  /** It belongs to a handoff of the log, comes once, and changes nothing of what the author wrote. */
  #checkEvidence(
    { payload: { handoffSeq, evidence }, seq }: EventOf<"evidence_attached">,
    before: AttachedHandoff | null,
  ) {
    const isFirst = !this.#events.some(
      (other) => isEvidence(other) && other.payload.handoffSeq === handoffSeq && other.seq < seq,
    );
    const own = this.#events.find((event) => event.seq === handoffSeq)?.handoff;
    this.#demand(isFirst && own?.evidence?.pendingUntil !== undefined, `no handoff waited for the evidence of ${seq}`);
    const { handoff } = this.#state;
    const expected =
      before?.seq === handoffSeq ? { ...before, handoff: { ...own, evidence }, evidenceSeq: seq } : before;
    this.#demand(isDeepStrictEqual(handoff, expected), "the evidence did not come to its handoff alone");
  }

  /** One grant, one turn, one new secret; without a grant the secret stays the same or is void. */
  #checkTurn(before: Room, room: Room, events: readonly RoomEvent[]): void {
    this.#demand(room.state.turnId === this.#grants, `${this.#grants} grants and turn ${room.state.turnId}`);
    const granted = events.filter((event) => event.type === "claim" || event.type === "takeover").length;
    this.#demand(granted <= 1, "two grants in one command");
    const leaseId = room.lease?.leaseId;
    if (leaseId === undefined) return;
    if (granted === 0) this.#demand(leaseId === before.lease?.leaseId, "a lease without a grant");
    else this.#demand(!this.#leases.has(leaseId), "a lease secret came twice");
    this.#leases.add(leaseId);
  }

  #checkWaits(after: Room, scene: Scene, answer: unknown): void {
    const { before } = scene;
    const actorId = scene.actor.caller.agentId;
    for (const [agentId, wait] of before.waits) {
      const now = after.waits.get(agentId);
      const isItself = agentId === actorId;
      const gaveUp = isItself && (answer === true || (isRefusal(answer) && answer.error === "session_ended"));
      if (!now) this.#demand(gaveUp || this.#judge.mayLoseWait(agentId, after, scene), `${agentId} lost its place`);
      else if (now.caller === null && wait.caller !== null && agentId !== actorId) {
        this.#demand(!this.#machine.isRunning(wait.caller), `the caller of ${agentId} was taken for dead`);
      }
    }
  }

  /**
   * Whatever a call does whose harness is dead, its session is not known by that one instead of one that lives. A wait
   * brings nobody in besides, shows nobody, and claims nothing.
   */
  #checkOrphan(room: Room, { before, actor }: Scene): void {
    const { agentId } = actor.caller;
    const { process = null } = before.presence.get(agentId) ?? {};
    const keeps = !process || !this.#machine.isRunning(process) || !room.presence.has(agentId);
    const known = isDeepStrictEqual(room.presence.get(agentId)?.process, process);
    this.#demand(keeps || known, `${agentId} lives and is known by its dead harness`);
    if (!actor.call.command.waits) return;
    this.#demand(room.state.owner !== agentId || before.state.owner === agentId, `${agentId} claimed from the grave`);
    const same = isDeepStrictEqual(room.presence.get(agentId), before.presence.get(agentId));
    this.#demand(same, `${agentId} was shown by a wait whose harness is dead`);
    const isOwn = isDeepStrictEqual(room.waits.get(agentId)?.caller, actor.call.process);
    this.#demand(!isOwn, `${agentId} waits without its harness`);
  }

  /** A refused command leaves no trace but what time had already made true; the holder's renews its own lease. */
  #checkRefusal(room: Room, scene: Scene, { error }: Refusal, events: readonly RoomEvent[]): void {
    const { before } = scene;
    const { owner } = before.state;
    if (error === "takeover_not_available" && owner !== null) {
      this.#demand(!this.#judge.isPlainlyGone(owner, scene), `${owner} is gone and kept the stick`);
    }
    const actorId = scene.actor.caller.agentId;
    const holds = owner === actorId && room.state.owner === actorId;
    for (const event of events) {
      const returned = holds && event.type === "member_joined" && event.fromAgentId === actorId;
      this.#demand(returned || SETTLING_EVENTS.has(event.type), `a refused command recorded ${event.type}`);
    }
    this.#demand(isDeepStrictEqual(room.policy, before.policy), "a refused command changed the policy");
    this.#demand(isDeepStrictEqual(room.cooldown, before.cooldown), "a refused command changed the cooldown");
    for (const [agentId, presence] of room.presence) {
      const same = (holds && agentId === actorId) || isDeepStrictEqual(presence, before.presence.get(agentId));
      this.#demand(same, `a refused command showed ${agentId}`);
    }
    for (const agentId of room.waits.keys()) {
      this.#demand(before.waits.has(agentId), `a refused command put ${agentId} into the queue`);
    }
    const slept = room.suspendedMs !== before.suspendedMs;
    const sameLease = isDeepStrictEqual(room.lease, before.lease);
    const renewed = holds && room.lease?.leaseId === before.lease?.leaseId;
    this.#demand(sameLease || slept || renewed, "a refused command changed the lease");
  }

  /** A holder's call counts for its own turn and lease alone, and the turn is looked at first. */
  #checkToken({ state, lease }: Room, { call, caller }: Actor, answer: unknown): void {
    const { token } = call.command;
    if (!token || (isRefusal(answer) && answer.error === "room_closed")) return;
    const wrongTurn = token.expectedTurnId !== state.turnId;
    const wrongLease = token.leaseId !== lease?.leaseId || state.owner !== caller.agentId;
    const expected = wrongTurn ? "turn_mismatch" : wrongLease ? "stale_lease" : null;
    const refused = isRefusal(answer) ? answer.error : null;
    if (expected !== null) this.#demand(refused === expected, `${refused ?? "accepted"} instead of ${expected}`);
    else this.#demand(refused !== "turn_mismatch" && refused !== "stale_lease", `the holder was refused: ${refused}`);
  }

  #checkAnswer(room: Room, { call, caller }: Actor, answer: unknown): void {
    const { status, turnId, leaseId, handoff } = answer as Partial<Record<string, unknown>>;
    if (status === "not_yet" && call.command.waits?.queues) {
      this.#demand(room.waits.has(caller.agentId), `${caller.agentId} was told to wait and got no place`);
    }
    if (status !== "your_turn" && status !== "ok") return;
    this.#demand(room.state.owner === caller.agentId, `${caller.agentId} was told that it holds, and does not`);
    this.#demand(turnId === room.state.turnId, `turn ${String(turnId)} was told, turn ${room.state.turnId} is stored`);
    if (status === "ok") return;
    this.#demand(leaseId === room.lease?.leaseId, "another lease was told than is stored");
    this.#demand(isDeepStrictEqual(handoff, room.state.handoff?.handoff ?? null), "another handoff was told");
  }

  /** A call proves that its agent lives; a process that is dead by then proves nothing about it any more. */
  #noteVoucher(before: Room, room: Room, { call, caller }: Actor): void {
    const { lastSeen, process } = room.presence.get(caller.agentId) ?? { lastSeen: null, process: null };
    if (lastSeen === null || before.presence.get(caller.agentId)?.lastSeen === lastSeen) return;
    const proves = caller.process ?? (process && this.#machine.mayHaveRunAt(process, call.readAtMs) ? process : null);
    this.#vouched.set(caller.agentId, proves);
  }

  #noteProcesses(before: Room, room: Room): void {
    for (const [agentId, { process }] of room.presence) {
      const same = isDeepStrictEqual(before.presence.get(agentId)?.process ?? null, process);
      if (!same) this.#knownSinceMs.set(agentId, this.#machine.nowMs);
    }
  }
}

function isEvidence(event: RoomEvent): event is EventOf<"evidence_attached"> {
  return event.type === "evidence_attached";
}
