/** A room on a fake clock, changed by the pure decisions alone: given → when → then without any store. */
import type { RoomEvent } from "../../src/core/event.ts";
import type { CheckedOut, HandoffEvidence } from "../../src/core/handoff.ts";
import { type AgentId, asAgentId, asLeaseId, asNoteId, asRoomId } from "../../src/core/ids.ts";
import { DEFAULT_POLICY, type Policy } from "../../src/core/policy.ts";
import { bootKey, type ProcessRef, type ProcessVerdict, processKey } from "../../src/core/process.ts";
import { isRefusal, type Refusal, type RefusalCode } from "../../src/core/refusal.ts";
import type { Instant } from "../../src/core/time.ts";
import type { Decision } from "../../src/room/rules/change.ts";
import { changePolicy } from "../../src/room/rules/change-policy.ts";
import { closeRoom } from "../../src/room/rules/close.ts";
import { type DerivedState, stateOf } from "../../src/room/rules/derived-state.ts";
import { joinRoom } from "../../src/room/rules/join.ts";
import { kickMember } from "../../src/room/rules/kick.ts";
import { leaveRoom } from "../../src/room/rules/leave.ts";
import type { TakenHandle } from "../../src/room/rules/membership.ts";
import { nameMyself } from "../../src/room/rules/name-myself.ts";
import { addNote, type Note, resolveNote } from "../../src/room/rules/note.ts";
import { createRoom, type Room } from "../../src/room/rules/room.ts";
import type { Caller, Given } from "../../src/session/rules/decision-input.ts";
import type { OtherHost } from "../../src/session/rules/host-silence.ts";
import { giveStick } from "../../src/stick/rules/give.ts";
import { attachEvidence } from "../../src/stick/rules/handoff-evidence.ts";
import { heartbeat } from "../../src/stick/rules/heartbeat.ts";
import { passStick } from "../../src/stick/rules/pass.ts";
import { pauseRoom, resumeRoom } from "../../src/stick/rules/pause.ts";
import { giveUpTurn, releaseStick } from "../../src/stick/rules/release.ts";
import { takeoverStick } from "../../src/stick/rules/takeover.ts";
import { endWait, waitForTurn } from "../../src/stick/rules/wait.ts";

export const HANDOFF = { status: "parser done", nextAction: "write the tests" };

export function processOf(agent: string): ProcessRef {
  return { host: "local", bootId: "boot-1", pidNamespace: "pid:[1]", pid: agent.length, startTicks: agent };
}

export interface ActorOptions {
  readonly person?: boolean;
  readonly withoutProcess?: boolean;
  /** Its harness's process, where that is not the one of its name. */
  readonly process?: ProcessRef;
}

export class RoomWorld {
  room: Room;
  readonly events: RoomEvent[] = [];
  readonly notes = new Map<string, Note>();
  readonly activity = new Map<AgentId, Instant>();
  readonly hosts = new Map<string, OtherHost>();
  readonly #verdicts = new Map<string, ProcessVerdict>();
  readonly #formerIds = new Map<AgentId, AgentId>();
  epoch = "boot-1";
  nowMs = 1_000_000;
  suspendedMs = 0;
  wallMs = Date.UTC(2026, 0, 1);
  /** Null: the room is in no repository. */
  checkedOut: CheckedOut | null = null;
  #commands = 0;

  constructor(policy: Partial<Policy> = {}) {
    this.room = createRoom({
      id: asRoomId("room"),
      host: "local",
      path: "/projects/tree",
      project: "/projects/tree",
      policy: { ...DEFAULT_POLICY, ...policy },
      createdAt: "2026-01-01T00:00:00.000Z",
    });
  }

  advance(ms: number): this {
    this.nowMs += ms;
    this.wallMs += ms;
    return this;
  }

  /** The agent's process is found dead from now on. */
  kill(agent: string): this {
    this.#verdicts.set(processKey(processOf(agent)), "gone");
    return this;
  }

  /** The agent's process was looked at and lives. */
  see(agent: string): this {
    this.#verdicts.set(processKey(processOf(agent)), "alive");
    return this;
  }

  loseSightOf(agent: string): this {
    this.#verdicts.set(processKey(processOf(agent)), "unknown");
    return this;
  }

  /** That machine was heard of now, and another one will be heard of from now on. */
  hear(host: string): this {
    const now = { epoch: this.epoch, ms: this.nowMs };
    const boot = { host, bootId: "boot-1" };
    this.hosts.set(bootKey(boot), {
      ...boot,
      name: host,
      label: host,
      heard: now,
      unbroken: now,
      isKept: true,
      isClone: false,
      witnesses: [{ unbroken: now, heard: { epoch: this.epoch, ms: Number.POSITIVE_INFINITY } }],
    });
    return this;
  }

  /** From now on the agent's calls tell which name its session had before. */
  remember(agent: string, former: string): this {
    this.#formerIds.set(asAgentId(agent), asAgentId(former));
    return this;
  }

  given(agent: string, options: ActorOptions = {}): Given {
    const agentId = asAgentId(agent);
    const process = options.withoutProcess ? null : (options.process ?? processOf(agent));
    const caller: Caller = {
      agentId,
      harness: agent.split(":")[0] ?? agent,
      isPerson: options.person ?? false,
      process,
      sessionId: null,
      formerId: this.#formerIds.get(agentId) ?? null,
      tmuxPane: null,
    };
    this.#commands += 1;
    return {
      caller,
      moment: {
        instant: { epoch: this.epoch, ms: this.nowMs },
        suspendedMs: this.suspendedMs,
        wallMs: this.wallMs,
      },
      evidence: {
        verdicts: new Map(this.#verdicts),
        activity: new Map(this.activity),
        hosts: new Map(this.hosts),
        orphaned: process !== null && this.#verdicts.get(processKey(process)) === "gone",
      },
      commandId: `command${this.#commands}`,
      freshLeaseId: asLeaseId(`lease${this.#commands}`),
    };
  }

  commit<Answer>(decision: Decision<Answer>): Answer | Refusal {
    this.room = decision.change.room;
    this.events.push(...decision.change.events);
    return decision.answer;
  }

  handles(): TakenHandle[] {
    return [...this.room.presence.values()].map(({ agentId, handle }) => ({ agentId, handle, live: true }));
  }

  join(agent: string, options?: ActorOptions) {
    return this.commit(joinRoom(this.room, this.given(agent, options), () => this.handles()));
  }

  wait(agent: string, { forMs = 60_000, claims = true, call = `${agent}-call`, on, ...options }: WaitOptions = {}) {
    const callerProcess = { ...processOf(call), ...(on !== undefined && { host: on }) };
    const command = { claims, forMs, callerProcess, gitHead: null };
    return this.commit(waitForTurn(this.room, this.given(agent, options), () => this.handles(), command));
  }

  look(agent: string) {
    return this.wait(agent, { forMs: null });
  }

  cancelWait(agent: string) {
    return this.commit(endWait(this.room, this.given(agent), { callerProcess: processOf(`${agent}-call`) }));
  }

  /** The token the owner has, or a wrong one when nobody holds the stick. */
  token() {
    return { leaseId: this.room.lease?.leaseId ?? asLeaseId("none"), expectedTurnId: this.room.state.turnId };
  }

  release(agent: string, handoff: unknown = HANDOFF, token = this.token()) {
    return this.commit(releaseStick(this.room, this.given(agent), { ...token, handoff, checkedOut: this.checkedOut }));
  }

  /** Git has answered about a turn whose handoff is at `seq`. */
  attachEvidence(turnId: number, seq: number, agent: string, evidence: HandoffEvidence) {
    const handoff = { seq, fromAgentId: asAgentId(agent) };
    return this.commit(attachEvidence(this.room, this.given("observer"), { turnId, handoff, evidence }));
  }

  giveUp(agent: string, token = this.token()) {
    return this.commit(giveUpTurn(this.room, this.given(agent), token));
  }

  pass(agent: string, to: string, options: ActorOptions & { operatorRequested?: boolean } = {}) {
    const command = {
      ...this.token(),
      to,
      handoff: HANDOFF,
      checkedOut: this.checkedOut,
      operatorRequested: options.operatorRequested ?? false,
    };
    return this.commit(passStick(this.room, this.given(agent, options), command));
  }

  takeover(
    agent: string,
    options: ActorOptions & { operatorRequested?: boolean; reason?: string; turn?: number } = {},
  ) {
    const command = {
      expectedTurnId: options.turn ?? this.room.state.turnId,
      reason: options.reason ?? "it does not answer",
      operatorRequested: options.operatorRequested ?? false,
      gitHead: null,
    };
    return this.commit(takeoverStick(this.room, this.given(agent, options), () => this.handles(), command));
  }

  give(agent: string, to: string, options: ActorOptions & { anyway?: boolean; turn?: number } = { person: true }) {
    const { anyway: operatorRequested = false, turn: expectedTurnId = null } = options;
    const command = { to, reason: null, operatorRequested, expectedTurnId };
    return this.commit(giveStick(this.room, this.given(agent, options), () => this.handles(), command));
  }

  pause(agent: string, options: ActorOptions & { reason?: string } = { person: true }) {
    return this.commit(pauseRoom(this.room, this.given(agent, options), { reason: options.reason ?? null }));
  }

  resume(agent: string, options: ActorOptions = { person: true }) {
    return this.commit(resumeRoom(this.room, this.given(agent, options)));
  }

  heartbeat(agent: string, token = this.token(), options: ActorOptions = {}) {
    return this.commit(heartbeat(this.room, this.given(agent, options), token));
  }

  leave(agent: string, reason: "left" | "session_ended" = "left") {
    return this.commit(leaveRoom(this.room, this.given(agent), reason));
  }

  kick(agent: string, target: string, options: ActorOptions & { force?: boolean } = {}) {
    const command = { targetAgentId: asAgentId(target), force: options.force ?? false, reason: null };
    return this.commit(kickMember(this.room, this.given(agent, options), command));
  }

  close(agent: string, options: ActorOptions & { operatorRequested?: boolean } = { person: true }) {
    const command = { operatorRequested: options.operatorRequested ?? false };
    return this.commit(closeRoom(this.room, this.given(agent, options), command));
  }

  name(agent: string, handle: string) {
    return this.commit(nameMyself(this.room, this.given(agent), () => this.handles(), { handle }));
  }

  policy(agent: string, changes: Partial<Policy>, options: ActorOptions = { person: true }) {
    return this.commit(changePolicy(this.room, this.given(agent, options), () => this.handles(), changes));
  }

  addNote(agent: string, body: string, turnId: number | null = null) {
    const noteId = asNoteId(`note${this.notes.size + 1}`);
    const note = this.commit(addNote(this.room, this.given(agent), () => this.handles(), { noteId, body, turnId }));
    if (!isRefusal(note)) this.notes.set(note.noteId, note);
    return note;
  }

  resolveNote(agent: string, noteId: string) {
    const command = { noteId: asNoteId(noteId), note: this.notes.get(noteId) ?? null };
    const note = this.commit(resolveNote(this.room, this.given(agent), () => this.handles(), command));
    if (!isRefusal(note)) this.notes.set(note.noteId, note);
    return note;
  }

  state(): DerivedState {
    return stateOf(this.room, this.given("observer"));
  }

  eventTypes(): string[] {
    return this.events.map((event) => event.type);
  }
}

interface WaitOptions extends ActorOptions {
  readonly forMs?: number | null;
  readonly claims?: boolean;
  /** The name of the calling process. */
  readonly call?: string;
  /** Its machine. */
  readonly on?: string;
}

/** The code of a refusal, or `accepted`. */
export function codeOf(answer: unknown): RefusalCode | "accepted" {
  return isRefusal(answer) ? answer.error : "accepted";
}

export function statusOf(answer: unknown): string {
  if (isRefusal(answer)) return answer.error;
  return (answer as { status: string }).status;
}
