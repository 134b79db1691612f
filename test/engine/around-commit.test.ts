/** What is done around a commit, and that none of it can spoil the answer. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { Fault } from "../../src/core/fault.ts";
import { asAgentId } from "../../src/core/ids.ts";
import type { AfterCommit, BeforeMove } from "../../src/engine/around-commit.ts";
import type { Deps } from "../../src/engine/deps.ts";
import type { TracedFault } from "../../src/engine/ports/trace.ts";
import { createTalkingStick } from "../../src/surfaces/library/talking-stick.ts";
import { HANDOFF } from "../support/room-world.ts";
import { agentCalled } from "../support/service-ports.ts";
import { accepted, ServiceWorld } from "../support/service-world.ts";

const FULL = new Fault("store_full", "the disk is full", { retry: false, next: "Make room." });

class Around {
  readonly world = new ServiceWorld();
  readonly faults: TracedFault[] = [];

  as(agent: string, around: Pick<Deps, "afterCommit" | "beforeMove">) {
    const trace = {
      delivery: () => undefined,
      wake: () => undefined,
      fault: (fault: TracedFault) => this.faults.push(fault),
    };
    return createTalkingStick({ ...this.world.deps, trace, ...around }, agentCalled(agent));
  }

  join(agent: string, around: Pick<Deps, "afterCommit" | "beforeMove">) {
    return this.as(agent, around).joinPath({ contextPath: this.world.directory("project") });
  }
}

afterEach(() => void vi.useRealTimers());

describe("after a commit", () => {
  it("each step is told of the change, one after the other, and the answer waits for them", async () => {
    const around = new Around();
    const told: string[] = [];
    const step = (name: string): AfterCommit => ({
      name,
      run: async (_, { caller, events }) => {
        await Promise.resolve();
        told.push(`${name}: ${caller.agentId} ${events.map(({ type }) => type).join()}`);
      },
    });
    accepted(await around.join("a", { afterCommit: [step("first"), step("second")] }));
    expect(told).toEqual(["first: a member_joined", "second: a member_joined"]);
  });

  it("given a step fails, the change is answered, the next step is made, and the trace tells of it", async () => {
    const around = new Around();
    const next = vi.fn(() => null);
    const afterCommit = [
      { name: "notes", run: () => Promise.reject(FULL) },
      { name: "next", run: next },
    ];
    expect(await around.join("a", { afterCommit })).toMatchObject({ agentId: "a" });
    expect(next).toHaveBeenCalledOnce();
    expect(around.faults).toEqual([{ during: "notes", message: "the disk is full" }]);
  });

  it("given a step never ends, the answer comes after its time", async () => {
    vi.useFakeTimers();
    const around = new Around();
    const joined = around.join("a", { afterCommit: [{ name: "slow", run: () => new Promise(() => undefined) }] });
    await vi.advanceTimersByTimeAsync(5000);
    expect(await joined).toMatchObject({ agentId: "a" });
    expect(around.faults).toMatchObject([{ during: "slow" }]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("before a move", () => {
  it("each mark is made for the agents that give or get the stick, and for no other change", async () => {
    const around = new Around();
    const moves: string[] = [];
    const beforeMove: BeforeMove[] = [(before, after) => moves.push(`${before.state.owner} → ${after.state.owner}`)];
    const { roomId } = accepted(await around.join("a", { beforeMove }));
    accepted(await around.as("a", { beforeMove }).addNote({ roomId, body: "no move" }));
    const turn = accepted(await around.as("a", { beforeMove }).waitForTurn({ roomId, maxWaitMs: 0 }));
    if (turn.status !== "your_turn") throw new Error(turn.status);
    const token = { roomId, leaseId: turn.leaseId, expectedTurnId: turn.turnId };
    accepted(await around.as("a", { beforeMove }).releaseStick({ ...token, handoff: HANDOFF }));
    expect(moves).toEqual(["null → a", "a → null"]);
  });

  it("given a mark cannot be made, the stick does not move", async () => {
    const around = new Around();
    const { roomId } = accepted(await around.join("a", {}));
    const beforeMove: BeforeMove[] = [
      () => {
        throw FULL;
      },
    ];
    await expect(around.as("a", { beforeMove }).waitForTurn({ roomId, maxWaitMs: 0 })).rejects.toBe(FULL);
    const { rooms } = await around.world.deps.store.readRooms({ agentId: asAgentId("a") });
    expect(rooms[0]?.state.owner).toBeNull();
  });
});
