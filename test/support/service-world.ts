/** The whole service in one process, on a store of choice, with a clock and processes that the test controls. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { asRoomId } from "../../src/core/ids.ts";
import { DEFAULT_POLICY, type Policy } from "../../src/core/policy.ts";
import { isRefusal, type Refusal } from "../../src/core/refusal.ts";
import type { Moment } from "../../src/core/time.ts";
import type { Deps } from "../../src/engine/deps.ts";
import type { Clock } from "../../src/engine/ports/clock.ts";
import type { Store } from "../../src/engine/ports/store.ts";
import { createWorkspace } from "../../src/platform/git/workspace.ts";
import { createRoom } from "../../src/room/rules/room.ts";
import type { Caller } from "../../src/session/rules/decision-input.ts";
import { openMemoryStore } from "../../src/store/memory/store.ts";
import { createTalkingStick, type TalkingStick } from "../../src/surfaces/library/talking-stick.ts";
import { agentCalled, servicePorts } from "./service-ports.ts";
import { quickDirectory } from "./temporary-directory.ts";

export interface ServiceOptions extends Partial<Omit<Deps, "policy" | "store" | "clock">> {
  /** In memory by default. */
  readonly openStore?: (clock: Clock) => Store;
}

export class ServiceWorld {
  readonly deps: Deps;
  readonly gone = new Set<string>();
  readonly suspended = new Set<string>();
  boot = 1;
  nowMs = 1_000_000;
  sleptMs = 0;
  /** How far the wall clock is ahead of the machine's own time. */
  wallAheadMs = 0;
  /** The commit that is checked out in every working tree. */
  head: string | null = null;
  #root: string | null = null;
  readonly #formerNames = new Map<string, string>();

  constructor(policy: Partial<Policy> = {}, { openStore, ...ports }: ServiceOptions = {}) {
    const clock = { now: () => this.moment };
    this.deps = servicePorts({
      store: (openStore ?? ((its) => openMemoryStore({ clock: its })))(clock),
      clock,
      gone: this.gone,
      suspended: this.suspended,
      workingTree: { head: () => this.head, checkedOut: () => null, evidence: async () => null, missing: () => [] },
      workspace: createWorkspace({ home: null, shared: false }),
      policy: { ...DEFAULT_POLICY, ...policy },
      ...ports,
    });
  }

  get moment(): Moment {
    const instant = { epoch: `boot-${this.boot}`, ms: this.nowMs };
    return { instant, suspendedMs: this.sleptMs, wallMs: this.nowMs + this.wallAheadMs };
  }

  /** The machine sleeps, and wakes. */
  sleep(ms: number): void {
    this.nowMs += ms;
    this.sleptMs += ms;
  }

  get root(): string {
    this.#root ??= quickDirectory();
    return this.#root;
  }

  directory(path: string): string {
    const full = join(this.root, path);
    mkdirSync(full, { recursive: true });
    return full;
  }

  /** Puts a room without members into the store. */
  async makeRoom(id: string, path: string, policy: Policy): Promise<void> {
    const otherwise = {
      id: asRoomId(id),
      host: "local",
      path,
      project: path,
      policy,
      createdAt: "2026-01-01T00:00:00.000Z",
    };
    await this.deps.store.change({ host: "local", paths: [path], otherwise }, () => ({
      change: { room: createRoom(otherwise), events: [] },
      answer: true,
    }));
  }

  /** From its next call on, the agent is known to be the session that formerly had another name. */
  remember(agent: string, former: string): void {
    this.#formerNames.set(agent, former);
  }

  callerOf(agent: string, { person = false, former = this.#formerNames.get(agent) ?? null } = {}): Caller {
    return agentCalled(agent, { person, former });
  }

  /** `former` is the name that its session had before. */
  as(agent: string, options: { person?: boolean; former?: string | null; store?: Store } = {}): TalkingStick {
    const { store = this.deps.store, ...traits } = options;
    return createTalkingStick({ ...this.deps, store }, this.callerOf(agent, traits));
  }
}

/** The answer, when it is not a refusal. */
export function accepted<Answer>(answer: Answer | Refusal): Answer {
  if (isRefusal(answer)) throw new Error(`refused: ${answer.error}: ${answer.message}`);
  return answer;
}
