/** What the library does for a turn by itself, with clocks, processes and timers that the test controls. */
import { EventEmitter, once } from "node:events";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Fault } from "../../../src/core/fault.ts";
import { type AgentId, asAgentId } from "../../../src/core/ids.ts";
import type { Policy } from "../../../src/core/policy.ts";
import type { AfterCommit } from "../../../src/engine/around-commit.ts";
import type { Deps } from "../../../src/engine/deps.ts";
import type { HeldTurn, JoinedRoom, Participant } from "../../../src/surfaces/library/api.ts";
import { createParticipant } from "../../../src/surfaces/library/participant.ts";
import { agentCalled } from "../../support/service-ports.ts";
import { accepted, ServiceWorld } from "../../support/service-world.ts";

const MINUTE = 60_000;
const POLICY = { leaseTtlMs: 30 * MINUTE, ownerIdleMs: 15 * MINUTE };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

class Library extends ServiceWorld {
  readonly directoryOfAll: string;

  constructor(policy: Partial<Policy>) {
    super(policy);
    this.directoryOfAll = this.directory("project");
  }

  participant(agent: string, other: Partial<Deps> = {}): Participant {
    const deps = { ...this.deps, ...other };
    return createParticipant({ deps, caller: agentCalled(agent), directory: this.directoryOfAll });
  }

  /** Both clocks, the timers' and the service's. */
  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= MINUTE) {
      this.nowMs += Math.min(MINUTE, left);
      await vi.advanceTimersByTimeAsync(Math.min(MINUTE, left));
    }
  }

  async leftMs(room: JoinedRoom): Promise<number> {
    const { leaseExpiresAt } = (await room.state()).room;
    return Date.parse(leaseExpiresAt ?? "") - this.nowMs;
  }
}

async function held(room: JoinedRoom): Promise<HeldTurn> {
  const turn = await room.waitForTurn({ timeoutMs: 0 });
  if (!turn) throw new Error("nobody else wants it");
  return turn;
}

describe("the lease", () => {
  it("is renewed while the program makes calls, and no longer if it hangs", async () => {
    const world = new Library(POLICY);
    const room = await world.participant("script:a").join();
    const watcher = await world.participant("script:b").join();
    await held(room);
    for (let calls = 0; calls < 12; calls += 1) {
      await world.pass(10 * MINUTE);
      await room.notes.list();
    }
    expect(await world.leftMs(watcher)).toBeGreaterThanOrEqual(15 * MINUTE);
    await world.pass(60 * MINUTE);
    expect(await world.leftMs(watcher)).toBeLessThan(0);
  });

  it("is renewed although the holder's bell could not be heard at first", async () => {
    const world = new Library({ ...POLICY, goneGraceMs: 0 });
    const { bell } = world.deps;
    const notABell = new Fault("store_unsafe", "not a bell", { retry: false, next: "remove it" });
    const subscribe = vi.fn((to: AgentId | "all") => bell.subscribe(to)).mockRejectedValueOnce(notABell);
    const room = await world.participant("script:a", { bell: { ...bell, subscribe } }).join();
    const watcher = await world.participant("script:b").join();
    const turn = await held(room);
    await world.pass(14 * MINUTE);
    expect(subscribe.mock.calls).toHaveLength(2);
    expect(await world.leftMs(watcher)).toBe(26 * MINUTE);
    world.gone.add("script:a");
    await watcher.takeOver({ reason: "its process is gone" });
    await vi.advanceTimersByTimeAsync(0);
    expect(turn.signal.reason).toMatchObject({ code: "turn_mismatch" });
  });

  it("is not renewed any more once the turn is over", async () => {
    const world = new Library(POLICY);
    const room = await world.participant("script:a").join();
    const turn = await held(room);
    await turn.release({ status: "done", nextAction: "go on" });
    const { cursorEventSeq } = await room.events.list();
    await world.pass(30 * MINUTE);
    expect(vi.getTimerCount()).toBe(0);
    expect((await room.events.list()).cursorEventSeq).toBe(cursorEventSeq);
  });
});

describe("a turn that is lost", () => {
  it("aborts its signal with the reason, and closing it takes nothing from the new holder", async () => {
    const world = new Library({ ...POLICY, goneGraceMs: 0 });
    const room = await world.participant("script:a").join();
    const turn = await held(room);
    world.gone.add("script:a");
    const heir = await world.participant("script:b").join();
    await expect(heir.waitForTurn({ timeoutMs: 0 })).rejects.toMatchObject({
      code: "takeover_available",
      facts: { current_owner: "script:a", reason: "owner_gone" },
      next: "Take the stick: room.takeOver({ reason: WHY })",
    });
    const taken = await heir.takeOver({ reason: "its process is gone" });
    await vi.advanceTimersByTimeAsync(0);
    expect(turn.signal.reason).toMatchObject({ code: "turn_mismatch", facts: { ended: { by: "script:b" } } });
    await turn.close();
    await taken.renew();
    expect((await heir.state()).room.owner).toBe("script:b");
  });

  it("is not one that its holder releases, however long the release takes", async () => {
    const world = new Library(POLICY);
    const goesOn = new EventEmitter();
    const untilThen = once(goesOn, "now");
    const slow: AfterCommit = {
      name: "slow",
      run: (_, { events }) => (events[0]?.type === "release" ? untilThen : null),
    };
    const turn = await held(await world.participant("script:a", { afterCommit: [slow] }).join());
    const released = turn.release({ status: "done", nextAction: "go on" });
    await vi.advanceTimersByTimeAsync(0);
    // Something else makes the holder look at its room meanwhile.
    await world.deps.bell.ring([asAgentId("script:a")]);
    await vi.advanceTimersByTimeAsync(0);
    goesOn.emit("now");
    await released;
    expect(turn.signal.aborted).toBe(false);
  });

  it("to a person that closes the room is told at once", async () => {
    const world = new Library(POLICY);
    const turn = await held(await world.participant("script:a").join());
    const person = world.as("human:ann", { person: true });
    const { roomId } = accepted(await person.joinPath({ contextPath: world.directoryOfAll }));
    accepted(await person.closeRoom({ roomId, operatorRequested: true }));
    await vi.advanceTimersByTimeAsync(0);
    expect(turn.signal.reason).toMatchObject({ code: "room_closed" });
  });
});

it("a message stays in flight while its loop works, however slowly", async () => {
  const world = new Library({ inflightTimeoutMs: 5 * MINUTE });
  const worker = world.participant("script:worker");
  await worker.join();
  const boss = world.participant("script:boss");
  await boss.send({ to: "script:worker", body: "work" });
  const mail = worker.messages();
  const { value: message } = await mail.next();
  await world.pass(30 * MINUTE);
  if (!message) throw new Error("there is a message");
  await message.ack();
  await mail.return();
  expect(vi.getTimerCount()).toBe(0);
});
