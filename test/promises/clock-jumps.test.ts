/**
 * S3. The wall clock jumps, by seconds and by centuries, in both directions.
 *
 * In the simulation every run is made twice from one seed, once with a jump before each step. The agents that hold,
 * wait, take over and are refused must be the same in both; only the times that people read may differ. Across a
 * reboot, wall-clock time alone tells who has been away for long, and the rules of the room must hold. On the real
 * machine one of two processes sees a faked wall clock.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished } from "vitest";
import type { Handoff } from "../../src/core/handoff.ts";
import type { Clock } from "../../src/engine/ports/clock.ts";
import type { Room } from "../../src/room/rules/room.ts";
import { openMemoryStore } from "../../src/store/memory/store.ts";
import { everybodyGetsATurn } from "../sim/progress.ts";
import { World } from "../sim/world.ts";
import type { AgentProcess } from "../support/agent-process.ts";
import { AgentRoom } from "../support/agent-room.ts";
import { ensureDebianPackage, packagedFile } from "../support/ensure-debian-package.ts";
import type { Bundle } from "../support/fixture.ts";
import { inParallel } from "../support/in-parallel.ts";
import { SeededRandom } from "../support/random.ts";
import { bundleSqliteFixture } from "../support/sqlite-fixture.ts";
import { groundAt } from "../support/sqlite-world.ts";
import { quickDirectory } from "../support/temporary-directory.ts";
import { figure, freshSeed, verifies } from "./verifies.ts";

const DAY_MS = 86_400_000;
const JUMPS_MS = [1, 5_000, DAY_MS, 365 * DAY_MS, 300_000 * 365 * DAY_MS];
const STEPS = 250;

function openStore(clock: Clock) {
  return openMemoryStore({ clock });
}

/** Everything that must not depend on the wall clock. */
async function live(seed: number, jumps: SeededRandom | null, { reboots = false } = {}) {
  const jump = (world: World) => {
    if (jumps) world.machine.jumpWallClock(jumps.pick(JUMPS_MS) * jumps.pick([1, -1]));
  };
  const world = await World.open({ seed, openStore, beforeStep: jump, reboots, listsRooms: false });
  for (let step = 0; step < STEPS; step += 1) await world.step();
  await everybodyGetsATurn(world);
  await world.checkWhole();
  return {
    counters: world.counters.toString(),
    rooms: [...world.watches.values()].map(({ room, events }) => ({
      room: withoutWallTime(room),
      events: events.map((event) => ({ ...event, createdAt: null, handoff: withoutPending(event.handoff) })),
    })),
  };
}

/** Until when readers say that the evidence is still to come. */
function withoutPending(handoff: Handoff | null): Handoff | null {
  const { evidence } = handoff ?? {};
  if (!handoff || evidence?.pendingUntil === undefined) return handoff;
  return { ...handoff, evidence: { ...evidence, pendingUntil: "" } };
}

function withoutWallTime(room: Room) {
  const { handoff } = room.state;
  return {
    ...room,
    state: { ...room.state, handoff: handoff && { ...handoff, handoff: withoutPending(handoff.handoff) } },
    createdAt: null,
    updatedAt: null,
    presence: [...room.presence.values()].map((presence) => ({ ...presence, lastSeenAt: null })),
    waits: [...room.waits.values()].map((wait) => ({ ...wait, sinceAt: null })),
  };
}

const jumps = figure(5000, 500_000);

verifies("S3", `${jumps} jumps of a simulated wall clock change nothing but the times that people read`, async () => {
  const first = freshSeed();
  for (let run = 0; run < jumps / STEPS; run += 1) {
    const seed = (first + run) % 2 ** 31;
    const still = await live(seed, null);
    expect(await live(seed, new SeededRandom(seed + 1)), `TT_SEED=${seed} repeats it`).toEqual(still);
    // After a reboot the wall tells who has been away for long. Whose the stick is, it tells nobody even then.
    await live(seed, new SeededRandom(seed + 1), { reboots: true });
  }
});

const FAKETIME = "libfaketime";
const canFake = process.platform === "linux" && ensureDebianPackage(FAKETIME);

interface Case {
  readonly whose: "holder" | "waiter";
  readonly clock: "ahead" | "behind" | "jumping";
  readonly directory: string;
}

/** A wall clock that the test moves; it starts ten years away from the truth. */
function fakeClock({ directory, clock }: Case) {
  const file = `${directory}.faketime`;
  const set = (days: number) => writeFileSync(file, `${days > 0 ? "+" : ""}${days}d\n`);
  let days = clock === "behind" ? -3650 : 3650;
  set(days);
  if (clock === "jumping") {
    const timer = setInterval(() => {
      days = -days;
      set(days);
    }, 20);
    onTestFinished(() => clearInterval(timer));
  }
  return {
    LD_PRELOAD: packagedFile(FAKETIME, "libfaketimeMT.so.1"),
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: "1",
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
  };
}

function cases(): Case[] {
  const directory = quickDirectory();
  return (["holder", "waiter"] as const).flatMap((whose) =>
    (["ahead", "behind", "jumping"] as const).map((clock) => {
      return { whose, clock, directory: join(directory, `${whose}-${clock}`) };
    }),
  );
}

async function expectFarFromTruth(agent: AgentProcess, room: AgentRoom): Promise<void> {
  const { wallMs } = await agent.call("getRoomState", { roomId: room.roomId });
  expect(Math.abs(wallMs - Date.now())).toBeGreaterThan(300 * DAY_MS);
}

describe.skipIf(!canFake)("with a faked wall clock in one of two processes", () => {
  let bundle: Bundle;
  beforeAll(async () => {
    bundle = await bundleSqliteFixture("stick-agent");
  });
  afterAll(() => bundle.remove());

  async function twoAgents(given: Case, leaseTtlMs: number) {
    const room = new AgentRoom(bundle, groundAt(given.directory, { TT_LEASE_TTL_MS: String(leaseTtlMs) }));
    const env = fakeClock(given);
    const holder = await room.enter("agent:holder", given.whose === "holder" ? { env } : {});
    const waiter = await room.enter("agent:waiter", given.whose === "waiter" ? { env } : {});
    await expectFarFromTruth(given.whose === "holder" ? holder : waiter, room);
    return { room, holder, waiter };
  }

  const looks = figure(40, 2000);

  verifies("S3", `nobody can take the stick from a holder within its lease, in ${looks} looks each`, async () => {
    await inParallel(3, cases(), async (given) => {
      const { room, holder, waiter } = await twoAgents(given, 3_600_000);
      const token = await room.take(holder);
      for (let look = 0; look < looks; look += 1) {
        const { answer } = await room.wait(waiter, look % 10 === 0 ? 30 : 0);
        expect(answer, `${given.whose} ${given.clock}`).toMatchObject({ status: "not_yet", roomState: "owned" });
        const { answer: takeover } = await room.takeOver(waiter, token.expectedTurnId);
        expect(takeover).toMatchObject({ error: "takeover_not_available" });
      }
      expect((await holder.call("heartbeat", token)).answer).toMatchObject({ status: "ok" });
    });
  });

  verifies("S3", "a silent holder's lease expires when it should, and not before", async () => {
    const leaseTtlMs = 1500;
    await inParallel(3, cases(), async (given) => {
      const { room, holder, waiter } = await twoAgents(given, leaseTtlMs);
      const askedAt = process.hrtime.bigint();
      const { answer: turn, at: claimedAt } = await room.wait(holder, 60_000);
      expect(turn).toMatchObject({ status: "your_turn" });
      const { answer, at } = await room.wait(waiter, 60_000);
      expect(answer, `${given.whose} ${given.clock}`).toMatchObject({
        status: "takeover_available",
        reason: "owner_timeout",
      });
      // Boot time comes in steps of 10 ms, and the lease began somewhere between question and answer.
      expect(Number(at - askedAt) / 1e6).toBeGreaterThan(leaseTtlMs - 20);
      expect(Number(at - claimedAt) / 1e6).toBeLessThan(leaseTtlMs + 8000);
    });
  });
});
