/**
 * The values of a room's policy. They are written into the room when it is created, so that every process
 * that shares it agrees; after that only a policy change, recorded in the log, alters them.
 */
import { durationMs } from "./duration.ts";
import { toCamelCase } from "./letter-case.ts";

export interface Policy {
  readonly leaseTtlMs: number;
  readonly claimTtlMs: number;
  readonly releaseClaimTtlMs: number;
  readonly waitGraceMs: number;
  readonly goneGraceMs: number;
  readonly ownerIdleMs: number;
  readonly presenceTtlMs: number;
  readonly priorOwnerCooldownMs: number;
  readonly idleRoomTtlMs: number;
  readonly waitMaxMs: number;
  readonly messageMaxBytes: number;
  readonly noteMaxBytes: number;
  readonly handoffMaxBytes: number;
  readonly maxRetries: number;
  readonly baseBackoffMs: number;
  readonly inflightTimeoutMs: number;
  readonly messageTtlMs: number;
  readonly askTimeoutMs: number;
  readonly hookMaxChars: number;
  readonly sendRatePerMin: number;
  readonly hopsMax: number;
}

export type PolicyKey = keyof Policy;

const DAY_MS = 24 * 60 * 60 * 1000;

interface Bounds {
  readonly byDefault: number;
  readonly min: number;
  readonly max: number;
}

/** Every number has bounds: a typing error in a config file must not freeze a room for a century. */
export const POLICY_BOUNDS: Readonly<Record<PolicyKey, Bounds>> = {
  leaseTtlMs: { byDefault: 2_700_000, min: 1000, max: 7 * DAY_MS },
  claimTtlMs: { byDefault: 300_000, min: 100, max: 7 * DAY_MS },
  releaseClaimTtlMs: { byDefault: 60_000, min: 100, max: DAY_MS },
  waitGraceMs: { byDefault: 60_000, min: 0, max: DAY_MS },
  goneGraceMs: { byDefault: 15_000, min: 0, max: DAY_MS },
  ownerIdleMs: { byDefault: 900_000, min: 1000, max: 7 * DAY_MS },
  presenceTtlMs: { byDefault: 14_400_000, min: 1000, max: 365 * DAY_MS },
  priorOwnerCooldownMs: { byDefault: 60_000, min: 0, max: DAY_MS },
  idleRoomTtlMs: { byDefault: 30 * DAY_MS, min: 1000, max: 3650 * DAY_MS },
  waitMaxMs: { byDefault: 110_000, min: 0, max: DAY_MS },
  messageMaxBytes: { byDefault: 8192, min: 256, max: 1_048_576 },
  noteMaxBytes: { byDefault: 16_384, min: 256, max: 1_048_576 },
  handoffMaxBytes: { byDefault: 16_384, min: 256, max: 1_048_576 },
  maxRetries: { byDefault: 3, min: 0, max: 20 },
  baseBackoffMs: { byDefault: 5000, min: 0, max: DAY_MS },
  inflightTimeoutMs: { byDefault: 30_000, min: 100, max: DAY_MS },
  messageTtlMs: { byDefault: 7 * DAY_MS, min: 1000, max: 365 * DAY_MS },
  askTimeoutMs: { byDefault: 45_000, min: 0, max: 300_000 },
  hookMaxChars: { byDefault: 9000, min: 500, max: 10_000 },
  sendRatePerMin: { byDefault: 30, min: 0, max: 100_000 },
  hopsMax: { byDefault: 8, min: 0, max: 1000 },
};

export const POLICY_KEYS = Object.keys(POLICY_BOUNDS) as readonly PolicyKey[];

export const DEFAULT_POLICY: Policy = Object.fromEntries(
  POLICY_KEYS.map((key) => [key, POLICY_BOUNDS[key].byDefault]),
) as unknown as Policy;

/** The values that are not the default ones. */
export function changedPolicy(policy: Policy): Partial<Policy> {
  return Object.fromEntries(
    POLICY_KEYS.filter((key) => policy[key] !== DEFAULT_POLICY[key]).map((key) => [key, policy[key]]),
  );
}

export function isPolicyKey(key: string): key is PolicyKey {
  return Object.hasOwn(POLICY_BOUNDS, key);
}

/** The key that a name means: as the wire or the program has it; a time also without its unit, such as `lease_ttl`. */
export function policyKeyOf(name: string): PolicyKey | null {
  const key = toCamelCase(name);
  return [key, `${key}Ms`].find((candidate) => isPolicyKey(candidate)) ?? null;
}

/** The number that a text means: digits, or for a time a duration such as `10m`. NaN for anything else. */
export function policyValueOf(key: PolicyKey, text: string): number {
  if (/^\d{1,16}$/.test(text)) return Number(text);
  return key.endsWith("Ms") ? durationMs(text) : Number.NaN;
}

/** Says what is wrong with a value, or null when it is valid. */
export function policyValueProblem(key: PolicyKey, value: unknown): string | null {
  const { min, max } = POLICY_BOUNDS[key];
  if (typeof value !== "number" || !Number.isSafeInteger(value)) return "is not a whole number";
  if (value < min || value > max) return `is outside ${min} to ${max}`;
  return null;
}
