/**
 * The values of a room's policy. They are written into the room when it is created, so that every process
 * that shares it agrees; after that only a policy change, recorded in the log, alters them.
 */
import { durationMs } from "./duration.ts";
import { toCamelCase } from "./letter-case.ts";

/** What happens to a write of an agent that does not hold the stick. */
export const GUARD_MODES = ["off", "advise", "deny", "strict"] as const;
export type GuardMode = (typeof GUARD_MODES)[number];

/** Whether writes may be refused, and not only told. */
export function mayRefuse(mode: GuardMode): boolean {
  return mode === "deny" || mode === "strict";
}

/** Whether the working tree is kept at the end of each turn. `auto`: as soon as the room has a second member. */
export const RECORD_MODES = ["auto", "on", "off"] as const;
export type RecordMode = (typeof RECORD_MODES)[number];

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
  readonly guard: GuardMode;
  readonly record: RecordMode;
  readonly snapshotMaxMs: number;
  readonly recordMaxBytes: number;
  readonly recordKeepDays: number;
}

export type PolicyKey = keyof Policy;
/** The values that are one of a few words; all others are numbers. */
export type ChoiceKey = "guard" | "record";
export type NumberKey = Exclude<PolicyKey, ChoiceKey>;
export type PolicyValue = Policy[PolicyKey];

const DAY_MS = 24 * 60 * 60 * 1000;

interface Bounds {
  readonly byDefault: number;
  readonly min: number;
  readonly max: number;
}

/** Every number has bounds: a typing error in a config file must not freeze a room for a century. */
export const POLICY_BOUNDS: Readonly<Record<NumberKey, Bounds>> = {
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
  snapshotMaxMs: { byDefault: 1000, min: 50, max: 60_000 },
  recordMaxBytes: { byDefault: 1_000_000_000, min: 1_000_000, max: 1_000_000_000_000 },
  recordKeepDays: { byDefault: 30, min: 1, max: 3650 },
};

/** The first is the default. */
export const POLICY_CHOICES = { guard: GUARD_MODES, record: RECORD_MODES } as const;

const NUMBER_KEYS = Object.keys(POLICY_BOUNDS) as readonly NumberKey[];
export const CHOICE_KEYS = Object.keys(POLICY_CHOICES) as readonly ChoiceKey[];
export const POLICY_KEYS: readonly PolicyKey[] = [...NUMBER_KEYS, ...CHOICE_KEYS];

export const DEFAULT_POLICY: Policy = Object.fromEntries([
  ...NUMBER_KEYS.map((key) => [key, POLICY_BOUNDS[key].byDefault]),
  ...CHOICE_KEYS.map((key) => [key, POLICY_CHOICES[key][0]]),
]);

/** The values that are not the default ones. */
export function changedPolicy(policy: Policy): Partial<Policy> {
  return Object.fromEntries(
    POLICY_KEYS.filter((key) => policy[key] !== DEFAULT_POLICY[key]).map((key) => [key, policy[key]]),
  );
}

export function isPolicyKey(key: string): key is PolicyKey {
  return Object.hasOwn(POLICY_BOUNDS, key) || isChoiceKey(key);
}

export function isChoiceKey(key: string): key is ChoiceKey {
  return Object.hasOwn(POLICY_CHOICES, key);
}

/** The key that a name means: as the wire or the program has it; a time also without its unit, such as `lease_ttl`. */
export function policyKeyOf(name: string): PolicyKey | null {
  const key = toCamelCase(name);
  return [key, `${key}Ms`].find((candidate) => isPolicyKey(candidate)) ?? null;
}

export const SIZES = { kB: 1e3, MB: 1e6, GB: 1e9 } as const;

/**
 * The value that a text means: a word as it is, a number by its digits, a time by a duration such as `10m`, a number of
 * bytes by a size such as `2GB`. NaN for a text that is no number.
 */
export function policyValueOf(key: PolicyKey, text: string): string | number {
  if (isChoiceKey(key)) return text;
  if (/^\d{1,16}$/.test(text)) return Number(text);
  if (key.endsWith("Ms")) return durationMs(text);
  const [, count = "", unit = ""] = (key.endsWith("Bytes") && /^(\d{1,9})(kB|MB|GB)$/.exec(text)) || [];
  return unit === "" ? Number.NaN : Number(count) * SIZES[unit as keyof typeof SIZES];
}

/** What a value may be, to complete "Give …". */
export function policyValueAdvice(key: PolicyKey): string {
  if (isChoiceKey(key)) return POLICY_CHOICES[key].join(", ");
  const { min, max } = POLICY_BOUNDS[key];
  const orTime = key.endsWith("Ms") ? " or a time such as 10m" : key.endsWith("Bytes") ? " or a size such as 64kB" : "";
  return `a whole number from ${min} to ${max}${orTime}`;
}

/** Says what is wrong with a value, or null when it is valid. */
export function policyValueProblem(key: PolicyKey, value: unknown): string | null {
  if (isChoiceKey(key)) {
    const words: readonly unknown[] = POLICY_CHOICES[key];
    return words.includes(value) ? null : `is not one of ${words.join(", ")}`;
  }
  const { min, max } = POLICY_BOUNDS[key];
  if (typeof value !== "number" || !Number.isSafeInteger(value)) return "is not a whole number";
  if (value < min || value > max) return `is outside ${min} to ${max}`;
  return null;
}
