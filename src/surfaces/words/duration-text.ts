import { UNITS_MS } from "../../core/duration.ts";

/** A duration as it is typed, in the largest unit that says it exactly. */
export function durationText(ms: number): string {
  if (ms === 0) return "0";
  const [unit, unitMs] = Object.entries(UNITS_MS).findLast(([, size]) => ms % size === 0) ?? ["ms", 1];
  return `${ms / unitMs}${unit}`;
}
