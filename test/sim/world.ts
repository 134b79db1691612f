/**
 * The world: agents, a machine, a store, and a seed that decides everything.
 *
 * A step is one of: a call goes on until its next port, an agent starts a call (sometimes the same one twice),
 * time passes, or something goes wrong. At most one transaction commits in a step, and it is judged at once.
 */

import { Fault } from "../../src/core/fault.ts";
import { asAgentId } from "../../src/core/ids.ts";
import { isRefusal } from "../../src/core/refusal.ts";
import type { Deps } from "../../src/engine/deps.ts";
import type { Clock } from "../../src/engine/ports/clock.ts";
import type { Changed, Store } from "../../src/engine/ports/store.ts";
import { createTalkingStick } from "../../src/surfaces/library/talking-stick.ts";
import { SeededRandom } from "../support/random.ts";
import { KINDS, SimAgent } from "./agent.ts";
import { SimBell } from "./bell.ts";
import { type Command, drawCommand, type Surroundings } from "./commands.ts";
import { Counters } from "./counters.ts";
import { FaultInjector } from "./faults.ts";
import { behindGates } from "./faulty-store.ts";
import { Machine } from "./machine.ts";
import { drawPolicy } from "./policies.ts";
import { RoomWatch } from "./room-watch.ts";
import { Call, Scheduler } from "./scheduler.ts";
import { REPOSITORY, type Tree, treeNamed } from "./tree.ts";

export interface WorldOptions {
  readonly seed: number;
  readonly openStore: (clock: Clock) => Store | Promise<Store>;
  /** Whether the store tells the time by another clock than the machine: signs of life are then left out. */
  readonly foreignClock?: boolean;
  /** Whether a call may outlive its agent; so by default. */
  readonly orphans?: boolean;
  /** Whether the machine may boot again; so by default. */
  readonly reboots?: boolean;
  /** Whether the person gives the stick, and pauses and resumes rooms; so by default. */
  readonly stepsIn?: boolean;
  /** Whether agents list rooms; so by default. A list leaves out rooms that are old by the wall clock, and takes fewer steps. */
  readonly listsRooms?: boolean;
  /** Called before every step, for what must not touch the seed's own stream. */
  readonly beforeStep?: (world: World) => void;
}

const TRACE_STEPS = 60;

export class World {
  readonly seed: number;
  readonly counters = new Counters();
  readonly random: SeededRandom;
  readonly scheduler: Scheduler;
  readonly machine: Machine;
  readonly agents: readonly SimAgent[];
  readonly faults: FaultInjector;
  readonly watches = new Map<string, RoomWatch>();
  readonly #tree: Tree;
  readonly #listsRooms: boolean;
  readonly #stepsIn: SeededRandom | null;
  readonly #noteIds: string[] = [];
  readonly #trace: string[] = [];
  readonly #beforeStep: (world: World) => void;
  readonly #store: Store;
  readonly #deps: Omit<Deps, "probe">;
  #failure: Error | null = null;
  #calls = 0;

  static async open(options: WorldOptions): Promise<World> {
    const scheduler = new Scheduler();
    const machine = new Machine(scheduler);
    return new World(options, scheduler, machine, await options.openStore(machine.clock));
  }

  private constructor(
    { seed, beforeStep, foreignClock, orphans = true, reboots = true, listsRooms = true, stepsIn = true }: WorldOptions,
    scheduler: Scheduler,
    machine: Machine,
    store: Store,
  ) {
    this.seed = seed;
    this.#tree = treeNamed(`tree${seed}`);
    this.#listsRooms = listsRooms;
    // A stream of its own, for the same reason as below.
    this.#stepsIn = stepsIn ? new SeededRandom(seed + 2) : null;
    this.scheduler = scheduler;
    this.machine = machine;
    this.random = new SeededRandom(seed);
    this.#store = store;
    this.#beforeStep = beforeStep ?? (() => undefined);
    const { random, counters } = this;
    this.agents = Array.from({ length: random.between(3, 8) }, (_, index) => {
      const kind = index === 0 ? "person" : random.pick(KINDS.slice(0, 4));
      return new SimAgent(machine, { number: index, kind, hooked: index % 3 === 0 && !foreignClock });
    });
    this.faults = new FaultInjector({
      random,
      counters,
      scheduler,
      machine,
      agents: this.agents,
      inTheWay: () => this.#inTheWay(),
      reboots,
      // A stream of its own, so that who is left behind changes nothing else that is drawn.
      leavesBehind: orphans ? new SeededRandom(seed + 1) : null,
    });
    this.#deps = {
      store: behindGates({
        inner: store,
        scheduler,
        faults: this.faults,
        clock: machine.clock,
        onCommit: (call, changed) => this.#onCommit(call, changed),
      }),
      bell: new SimBell({
        scheduler,
        losesRing: () => this.faults.losesRing(),
        isDeaf: () => this.faults.isDeaf(),
      }),
      clock: machine.clock,
      activity: machine.activity,
      digest: (text) => text,
      tmuxSessions: () => new Map(),
      random: { id: () => `id${seed}x${scheduler.running.nextId()}` },
      workingTree: REPOSITORY,
      workspace: this.#tree.workspace,
      host: "local",
      policy: drawPolicy(random),
    };
  }

  /** One step, judged. Throws what broke, with the seed and the last steps. */
  async step(): Promise<void> {
    this.#beforeStep(this);
    const { random } = this;
    const ready = this.#ready();
    const dice = random.next();
    if (dice < 0.05) this.#note(`fault: ${this.faults.strike()}`);
    else if (ready.length > 0 && dice < 0.7) await this.#resume(random.pick(ready));
    else if (dice < 0.88) await this.#startSomething();
    else this.#letTimePass();
    this.#judge();
  }

  async start(agent: SimAgent, command: Command): Promise<void> {
    this.#calls += 1;
    const caller = agent.caller();
    const call = new Call(this.#calls, command, { caller, process: agent.startCall() });
    this.#note(`${agent.id} starts: ${command.name}`);
    const deps = { ...this.#deps, probe: this.machine.probeOf(call.process) };
    const stick = createTalkingStick(deps, caller);
    await this.scheduler.start(call, async () => {
      try {
        this.#learn(agent, call, await command.run(stick, deps, call.cancel.signal, caller));
      } catch (error) {
        if (error instanceof Fault) this.#note(`${agent.id} faults: ${command.name}: ${error.code}`);
        else this.#failure ??= error instanceof Error ? error : new Error(String(error));
      }
      agent.endCall(call.process);
    });
  }

  /** Every ready call goes on, in random order, until all sleep. */
  async runReady(): Promise<void> {
    for (let ready = this.#ready(); ready.length > 0; ready = this.#ready()) {
      await this.#resume(this.random.pick(ready));
      this.#judge();
    }
  }

  /** The log and the notes, read whole from the store, once more. */
  async checkWhole(): Promise<void> {
    for (const watch of this.watches.values()) await watch.checkWhole();
    this.#judge();
  }

  isBusy(agent: SimAgent): boolean {
    return this.scheduler.calls.some((call) => call.agentId === agent.id && !call.isOrphan);
  }

  fail(complaint: string): never {
    throw this.#report(new Error(complaint));
  }

  async #resume(call: Call): Promise<void> {
    this.#note(`${call.agentId} goes on: ${call.name}`);
    await this.scheduler.resume(call);
    this.#checkPlace(call);
  }

  /** A waiter that looked and went to sleep again stands in the queue, whatever happened to its place meanwhile. */
  #checkPlace({ parking, command, lookedIn, agentId, isOrphan }: Call): void {
    if (parking?.at !== "bell" || !command.waits || lookedIn !== this.scheduler.resumptions) return;
    if (isOrphan) this.fail(`a wait of ${agentId} goes on without its harness`);
    const { waits } = this.watches.get(command.roomId)!.room;
    if (!waits.has(asAgentId(agentId))) this.fail(`${agentId} waits without a place in the queue`);
  }

  #ready(): readonly Call[] {
    const { nowMs } = this.scheduler;
    const frozen = new Set(this.agents.filter((agent) => agent.frozenUntilMs > nowMs).map((agent) => agent.id));
    return this.scheduler.calls.filter((call) => call.readyAt(nowMs) && !frozen.has(call.agentId));
  }

  async #startSomething(): Promise<void> {
    const { random, scheduler } = this;
    const free = this.agents.filter((agent) => agent.alive && agent.frozenUntilMs <= scheduler.nowMs);
    const idle = free.filter((agent) => !this.isBusy(agent) || random.chance(0.1));
    if (idle.length === 0) return;
    const agent = random.pick(idle);
    const command = drawCommand(agent, this.#surroundings());
    await this.start(agent, command);
    if (!random.chance(0.08)) return;
    this.counters.add("fault duplicate");
    await this.start(agent, command);
  }

  #letTimePass(): void {
    const { random, scheduler } = this;
    const toNextWake = scheduler.msToNextWake() ?? 1000;
    const ms = random.chance(0.7) ? Math.max(1, toNextWake) : random.pick([1, 300, 3_000, 30_000, 250_000]);
    scheduler.advance(ms);
    this.#note(`${ms} ms pass`);
  }

  #judge(): void {
    try {
      for (const watch of this.watches.values()) watch.checkAtRest(this.machine.moment());
    } catch (error) {
      this.#failure ??= error as Error;
    }
    if (this.#failure) throw this.#report(this.#failure);
  }

  async #onCommit(call: Call, changed: Changed<unknown>): Promise<void> {
    const { room, events } = changed.decision.change;
    const watch = this.watches.get(room.id) ?? new RoomWatch(this.#store, this.machine, changed.before, this.#demand);
    this.watches.set(room.id, watch);
    for (const event of events) this.#countEvent(event.type, event.payload);
    await watch.afterCommit(changed, { call, caller: call.caller });
    this.counters.add("commits");
  }

  readonly #demand = (condition: unknown, complaint: string): asserts condition => {
    if (!condition) throw new Error(complaint);
  };

  #countEvent(type: string, payload: object): void {
    const { reason, cause, ground } = payload as Partial<Record<string, string>>;
    const kind = reason ?? cause ?? ground;
    this.counters.add(kind === undefined ? `event ${type}` : `event ${type} ${kind}`);
  }

  #learn(agent: SimAgent, { command: { name, roomId }, isOrphan }: Call, answer: unknown): void {
    this.#note(`${isOrphan ? "nobody" : agent.id} is told: ${name}: ${summary(answer)}`);
    if (isRefusal(answer)) this.counters.add(`refusal ${answer.error}`);
    if (isOrphan) return;
    if (isRefusal(answer)) {
      const isClosed = answer.error === "room_closed" && agent.held?.roomId === roomId;
      if (isClosed || answer.error === "turn_mismatch" || answer.error === "stale_lease") agent.letGo();
      agent.offered = null;
      return;
    }
    const { status, turnId, leaseId, noteId } = answer as Partial<Record<string, string | number>>;
    if (status !== undefined) this.counters.add(`answer ${status}`);
    if (typeof noteId === "string") this.#noteIds.push(noteId);
    if (status === "your_turn") {
      agent.hold({ roomId, leaseId: String(leaseId), expectedTurnId: Number(turnId) });
    } else if (status === "released" || status === "passed" || status === "left") agent.letGo();
    agent.offered = status === "takeover_available" ? { roomId, turnId: Number(turnId) } : null;
  }

  /** The agents that others wait for: the owners and those with a reservation. */
  #inTheWay(): readonly SimAgent[] {
    const states = [...this.watches.values()].map(({ room }) => room.state);
    const ids = states.map(({ owner, reservation }) => owner ?? reservation?.agentId);
    return this.agents.filter((agent) => ids.some((id) => id === agent.id));
  }

  #surroundings(): Surroundings {
    const rooms = [...this.watches.values()].map((watch) => watch.room);
    return {
      waiting: rooms.flatMap((room) => [...room.waits.keys()]),
      dead: this.agents.filter((agent) => !agent.alive).map((agent) => agent.id),
      random: this.random,
      tree: this.#tree,
      listsRooms: this.#listsRooms,
      stepsIn: this.#stepsIn,
      agentIds: this.agents.map((agent) => agent.id),
      roomIds: [...this.watches.keys()],
      noteIds: this.#noteIds,
      turnOf: (roomId) => this.watches.get(roomId)!.room.state.turnId,
      lastSeqOf: (roomId) => this.watches.get(roomId)!.room.state.lastSeq,
    };
  }

  #note(line: string): void {
    this.counters.add("steps");
    this.#trace.push(`${this.scheduler.nowMs} ${line}`);
    if (this.#trace.length > TRACE_STEPS) this.#trace.shift();
  }

  #report(cause: Error): Error {
    const policy = JSON.stringify(this.#deps.policy);
    const steps = this.#trace.join("\n  ");
    return new Error(`${cause.message}\nTT_SEED=${this.seed} repeats it. Policy ${policy}. Last steps:\n  ${steps}`, {
      cause,
    });
  }
}

function summary(answer: unknown): string {
  if (isRefusal(answer)) return answer.error;
  const { status = "answered", turnId } = answer as { readonly status?: string; readonly turnId?: number };
  return turnId === undefined ? status : `${status} turn ${turnId}`;
}
