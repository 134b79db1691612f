import { LIMITS } from "../../core/limits.ts";
import { quoted, UsageError } from "./usage-error.ts";

const UNITS_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** `500ms`, `30s`, `10m`, `2h`, `7d`; a bare 0 is no time at all. NaN for anything else. */
export function durationMs(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text);
  if (match) return Math.round(Number(match[1]) * UNITS_MS[match[2] as keyof typeof UNITS_MS]);
  return text === "0" ? 0 : Number.NaN;
}

export function parseDuration(flag: string, text: string, maxHours = LIMITS.waitMs / UNITS_MS.h): number {
  const ms = durationMs(text);
  if (ms <= maxHours * UNITS_MS.h) return ms;
  throw new UsageError(
    `--${flag} ${quoted(text)} is not a duration up to ${maxHours}h.`,
    `Give a number and a unit, such as --${flag} 30s, 10m or 2h.`,
  );
}

/** A duration as it is typed, in the largest unit that says it exactly. */
export function durationText(ms: number): string {
  if (ms === 0) return "0";
  const [unit, unitMs] = Object.entries(UNITS_MS).findLast(([, size]) => ms % size === 0) ?? ["ms", 1];
  return `${ms / unitMs}${unit}`;
}
