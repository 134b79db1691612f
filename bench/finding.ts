/**
 * One line of the table. A figure on its own says little about a program, because machines differ and are busy
 * with other things: wherever it can be, it stands beside a floor that was measured in the same run.
 */
import { amount, type Figure } from "./figure.ts";

export interface Finding {
  readonly what: string;
  readonly floor: string;
  readonly measured: string;
  readonly ratio: string;
  readonly target: string;
  readonly verdict: "ok" | "over" | "" | "skipped";
}

interface Comparison {
  readonly what: string;
  readonly floor: Figure;
  readonly measured: Figure;
}

/** The smaller the better. Without a target the line only informs. */
export function atMost({ what, floor, measured }: Comparison, target: number | null): Finding {
  const ratio = measured.value / floor.value;
  return {
    ...shown({ what, floor, measured }, ratio),
    target: target === null ? "" : `≤ ${target} ×`,
    verdict: target === null ? "" : verdict(ratio <= target),
  };
}

/** The larger the better. */
export function atLeast(comparison: Comparison, target: number | null): Finding {
  const ratio = comparison.measured.value / comparison.floor.value;
  return {
    ...shown(comparison, ratio),
    target: target === null ? "" : `≥ ${target} ×`,
    verdict: target === null ? "" : verdict(ratio >= target),
  };
}

function shown({ what, floor, measured }: Comparison, ratio: number) {
  return { what, floor: floor.shown, measured: measured.shown, ratio: `${ratio.toFixed(2)} ×` };
}

/** A bound that holds on every machine. */
export function bounded(what: string, measured: Figure, limit: Figure): Finding {
  return {
    what,
    floor: "",
    measured: measured.shown,
    ratio: "",
    target: limit.value === 0 ? limit.shown : `≤ ${limit.shown}`,
    verdict: verdict(measured.value <= limit.value),
  };
}

/** Shows each kind of fault once. */
export function faultless(what: string, faults: readonly string[]): Finding {
  const kinds = faults.length === 0 ? "" : `: ${[...new Set(faults)].join(", ")}`;
  return bounded(what, amount(faults.length, `faults${kinds}`), amount(0, "faults"));
}

export function skipped(what: string, reason: string): Finding {
  return { what, floor: "", measured: reason, ratio: "", target: "", verdict: "skipped" };
}

function verdict(isReached: boolean): "ok" | "over" {
  return isReached ? "ok" : "over";
}
