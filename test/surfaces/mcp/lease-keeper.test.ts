import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { asAgentId, asLeaseId, asRoomId } from "../../../src/core/ids.ts";
import type { Instant } from "../../../src/core/time.ts";
import { LeaseKeeper } from "../../../src/surfaces/mcp/lease-keeper.ts";
import { processOf } from "../../support/room-world.ts";
import { accepted, ServiceWorld } from "../../support/service-world.ts";

const MINUTE = 60_000;
const POLICY = { leaseTtlMs: 30 * MINUTE, ownerIdleMs: 15 * MINUTE };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

class HeldStick extends ServiceWorld {
  readonly keeper = new LeaseKeeper();
  readonly caller = callerNamed("claude:1");
  lastSign: Instant | null = null;
  roomId = asRoomId("");

  async take(): Promise<void> {
    const stick = this.as(this.caller.agentId);
    const { roomId } = accepted(await stick.joinPath({ contextPath: this.directory("project") }));
    const turn = accepted(await stick.waitForTurn({ roomId, maxWaitMs: 0 }));
    if (turn.status !== "your_turn") throw new Error("nobody else wants it");
    this.roomId = roomId;
    const deps = { ...this.deps, activity: { lastSign: () => this.lastSign } };
    const token = { leaseId: asLeaseId(turn.leaseId), expectedTurnId: turn.turnId };
    this.keeper.keep(deps, { caller: this.caller, roomId, token });
    await vi.advanceTimersByTimeAsync(0);
  }

  /** Both clocks, the timers' and the service's, in steps that no beat falls between. */
  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= MINUTE) {
      this.nowMs += Math.min(MINUTE, left);
      await vi.advanceTimersByTimeAsync(Math.min(MINUTE, left));
    }
  }

  get now(): Instant {
    return this.deps.clock.now().instant;
  }

  /** How long the lease still lasts. */
  async leftMs(): Promise<number> {
    const snapshot = await this.deps.store.readRoom(this.roomId);
    return (snapshot?.room.lease?.deadline.ms ?? 0) - this.nowMs;
  }
}

describe("the lease of a turn that was granted through the server", () => {
  it("is renewed while a call of its holder is in progress, however long", async () => {
    const world = new HeldStick(POLICY);
    await world.take();
    world.keeper.begin(world.deps, world.caller);
    await world.pass(120 * MINUTE);
    expect(await world.leftMs()).toBeGreaterThan(15 * MINUTE);
  });

  it("is renewed for a while after its holder's last call, and then no more", async () => {
    const world = new HeldStick(POLICY);
    await world.take();
    world.keeper.begin(world.deps, world.caller)();
    await world.pass(20 * MINUTE);
    expect(await world.leftMs()).toBe(20 * MINUTE);
    await world.pass(40 * MINUTE);
    expect(await world.leftMs()).toBeLessThan(0);
  });

  it("is renewed no longer than that for a holder that another door has given a new name", async () => {
    const world = new HeldStick(POLICY);
    await world.take();
    world.keeper.begin(world.deps, world.caller)();
    accepted(
      await world
        .as("claude:abcd", { former: world.caller.agentId })
        .joinPath({ contextPath: world.directory("project") }),
    );
    await world.pass(180 * MINUTE);
    expect(await world.leftMs()).toBeLessThan(0);
  });

  it("is renewed as often as a shorter lease needs it, from the holder's next call on", async () => {
    const world = new HeldStick(POLICY);
    await world.take();
    accepted(
      await world
        .as("ann", { person: true })
        .changePolicy({ roomId: world.roomId, changes: { leaseTtlMs: 3 * MINUTE } }),
    );
    world.keeper.begin(world.deps, world.caller);
    accepted(await world.as(world.caller.agentId).addNote({ roomId: world.roomId, body: "renews it" }));
    await world.pass(20 * MINUTE);
    expect(await world.leftMs()).toBeGreaterThan(MINUTE);
  });

  it("is renewed as often as a shorter lease needs it also if its holder calls nothing meanwhile", async () => {
    const world = new HeldStick(POLICY);
    await world.take();
    world.keeper.begin(world.deps, world.caller);
    accepted(
      await world.as("ann", { person: true }).changePolicy({
        roomId: world.roomId,
        changes: { leaseTtlMs: 3 * MINUTE },
      }),
    );
    // The first beat comes in the rhythm of the long lease.
    await world.pass(10 * MINUTE);
    for (let minutes = 0; minutes < 10; minutes += 1) {
      expect(await world.leftMs()).toBeGreaterThan(MINUTE);
      await world.pass(MINUTE);
    }
  });

  it("is renewed by signs of life that hooks left", async () => {
    const world = new HeldStick(POLICY);
    await world.take();
    await world.pass(5 * MINUTE);
    world.lastSign = world.now;
    await world.pass(10 * MINUTE);
    expect(await world.leftMs()).toBe(25 * MINUTE);
  });

  it("is not renewed by the calls of another session of the same server", async () => {
    const world = new HeldStick(POLICY);
    await world.take();
    world.keeper.begin(world.deps, callerNamed("claude:2"));
    await world.pass(31 * MINUTE);
    expect(await world.leftMs()).toBeLessThan(0);
  });

  it("is no longer the server's concern once the turn is over", async () => {
    const world = new HeldStick(POLICY);
    await world.take();
    expect(world.keeper.keepsAny).toBe(true);
    world.keeper.begin(world.deps, world.caller);
    await world.as(world.caller.agentId).leaveRoom({ roomId: world.roomId });
    await world.pass(11 * MINUTE);
    expect(world.keeper.keepsAny).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("is kept once, however often the holder asks for its turn", async () => {
    const world = new HeldStick(POLICY);
    await world.take();
    await world.take();
    expect(vi.getTimerCount()).toBe(1);
    world.keeper.forgetAll();
    expect(vi.getTimerCount()).toBe(0);
  });
});

function callerNamed(agentId: string) {
  return {
    agentId: asAgentId(agentId),
    harness: "claude",
    isPerson: false,
    process: processOf(agentId),
    sessionId: `session of ${agentId}`,
    formerId: null,
    tmuxPane: null,
  };
}
