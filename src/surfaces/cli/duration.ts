import { durationMs, UNITS_MS } from "../../core/duration.ts";
import { LIMITS } from "../../core/limits.ts";
import { quoted } from "../../core/visible.ts";
import { UsageError } from "./usage-error.ts";

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
