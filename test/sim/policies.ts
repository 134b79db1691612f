/** Rooms of every temper: short and long times in all combinations, so that every deadline is met and missed. */
import { DEFAULT_POLICY, type Policy } from "../../src/core/policy.ts";
import type { SeededRandom } from "../support/random.ts";

export const LONGEST_LEASE_MS = 120_000;

export function drawPolicy(random: SeededRandom): Policy {
  return {
    ...DEFAULT_POLICY,
    leaseTtlMs: random.pick([5_000, 30_000, LONGEST_LEASE_MS]),
    claimTtlMs: random.pick([1_000, 20_000]),
    releaseClaimTtlMs: random.pick([500, 5_000, 30_000]),
    waitGraceMs: random.pick([0, 3_000, 20_000]),
    goneGraceMs: random.pick([0, 2_000, 10_000]),
    presenceTtlMs: random.pick([15_000, 60_000, 600_000]),
    priorOwnerCooldownMs: random.pick([0, 5_000, 60_000]),
    idleRoomTtlMs: random.pick([60_000, 1_800_000]),
    noteMaxBytes: 256,
    handoffMaxBytes: 1024,
  };
}
