/** Agents that take turns in a real repository, with a real record. */
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Policy } from "../../src/core/policy.ts";
import type { Call, Operation } from "../../src/engine/operation.ts";
import type { TurnRecord } from "../../src/engine/ports/working-tree.ts";
import { createTurnRecord, type LaterWork } from "../../src/platform/git/record/turn-record.ts";
import { releaseStick } from "../../src/stick/release-stick.ts";
import { type Door, perform } from "../../src/surfaces/door.ts";
import { OPERATIONS } from "../../src/surfaces/operations.ts";
import { makeRepository } from "../support/git-repository.ts";
import { accepted, ServiceWorld } from "../support/service-world.ts";

export const HANDOFF = { status: "the parser is done", next_action: "write the tests" };

/** What git alone tells of the tree. */
const WORKING_TREE: ServiceWorld["deps"]["workingTree"] = {
  head: () => null,
  checkedOut: () => ({ head: null, branch: null }),
  evidence: async () => ({ head: null, branch: null, dirty: null, diffStat: null }),
  missing: () => [],
};

export class TurnWorld extends ServiceWorld {
  readonly tree: string;
  roomId = "";
  readonly laterWork: LaterWork[] = [];
  /** What happens after a restore has taken its snapshot, and before it writes. */
  meanwhile: () => Promise<unknown> = async () => undefined;
  /** What happens before the next snapshot begins. */
  beforeSnapshot: () => Promise<unknown> = async () => undefined;

  constructor(policy: Partial<Policy> = {}, inRepository = true) {
    super({ snapshotMaxMs: 60_000, ...policy }, { turnRecord: async () => this.record(), workingTree: WORKING_TREE });
    // The record has real times.
    this.wallAheadMs = Date.now() - this.nowMs;
    this.tree = this.directory("app");
    if (inRepository) makeRepository(this.tree);
    for (const name of ["data", "scratch"]) mkdirSync(join(this.root, name), { mode: 0o700 });
  }

  record(): TurnRecord {
    const scratch = [join(this.root, "scratch")];
    const startBackground = (work: LaterWork) => this.laterWork.push(work) > 0;
    const record = createTurnRecord({ dataDir: join(this.root, "data"), home: null, scratch, startBackground });
    return {
      ...record,
      snapshot: async (...wanted) => {
        const before = this.beforeSnapshot;
        this.beforeSnapshot = async () => undefined;
        await before();
        return record.snapshot(...wanted);
      },
      restore: (room, target, wanted) => {
        const mayWrite = async () => {
          await this.meanwhile();
          return wanted.mayWrite();
        };
        return record.restore(room, target, { ...wanted, mayWrite });
      },
    };
  }

  async with(...agents: readonly string[]): Promise<this> {
    for (const agent of agents) {
      this.roomId = accepted(await this.as(agent).joinPath({ contextPath: this.tree })).roomId;
    }
    return this;
  }

  door(agent: string, person = false): Door {
    return {
      directory: this.tree,
      deps: async () => this.deps,
      caller: async () => this.callerOf(agent, { person }),
      identify: () => Promise.reject(new Error("nobody asks who it is")),
    };
  }

  /** What an operation answers. */
  ask(name: string, input: object = {}, agent = "a", person = false): Promise<object> {
    const operation = OPERATIONS.find((one) => one.name === name) as Operation;
    return perform(operation, this.door(agent, person), { room_id: this.roomId, ...input });
  }

  async holds(agent: string) {
    const granted = accepted(await this.as(agent).waitForTurn({ roomId: this.roomId, maxWaitMs: 0 }));
    if (granted.status !== "your_turn") throw new Error(granted.status);
    return { lease_id: granted.leaseId, expected_turn_id: granted.turnId };
  }

  /** Waits for a moment, so that the agent has a place in the queue. */
  async waits(agent: string): Promise<void> {
    const waiting = { roomId: this.roomId, maxWaitMs: 1 };
    expect(accepted(await this.as(agent).waitForTurn(waiting))).toMatchObject({ status: "not_yet" });
  }

  /** A whole turn in which the agent does something. */
  async turn(agent: string, work: () => void): Promise<void> {
    const token = await this.holds(agent);
    work();
    accepted(await this.release(agent, token));
  }

  release(agent: string, token: object, call: Call = {}) {
    return perform(releaseStick, this.door(agent), { room_id: this.roomId, ...token, handoff: HANDOFF }, call);
  }

  write(name: string, text: string): void {
    appendFileSync(join(this.tree, name), text);
  }

  async events(type: string) {
    const { events } = accepted(await this.as("a").getRoomEvents({ roomId: this.roomId, limit: 100 }));
    return events.filter(({ eventType }) => eventType === type);
  }
}
