/**
 * The ladder: which way to wake a session applies next, from proven facts alone.
 *
 *   waker     a process inside the harness does it: it is asked by the mail itself, and is only waited for
 *   native    the harness's own inbox, from outside
 *   terminal  keys in its pane
 *
 * A rung that certainly did nothing leads to the next one; a doubtful one ends the climb, because a second wake would
 * begin a second turn. A session that will see its mail anyway is not woken.
 */
import type { ProcessVerdict } from "../../core/process.ts";
import type { WakeMode, WakeStatus, WakeTry } from "../../mail/rules/wake-status.ts";
import type { ActivityState } from "../../session/rules/session.ts";

export type Rung = "waker" | "native" | "terminal";

export interface WakeFacts {
  readonly mode: WakeMode;
  /** The harness's own process. */
  readonly process: ProcessVerdict;
  /** The process inside the harness that can begin a turn; null when none is known. */
  readonly waker: ProcessVerdict | null;
  /** Its harness has an inbox that this process may use. */
  readonly native: boolean;
  /** Its harness shows it mail at its next tool call and at the end of its turn. */
  readonly hooked: boolean;
  readonly activity: ActivityState;
  /** The harness tells of itself, so no interruption is missed. Hooks alone miss some. */
  readonly activityIsCertain: boolean;
}

export type NextStep = { readonly climb: Rung } | { readonly stop: WakeStatus };

export function nextStep(facts: WakeFacts, tried: ReadonlySet<Rung>): NextStep {
  const { mode, process, waker, native, hooked, activity, activityIsCertain } = facts;
  if (mode === "off") return { stop: "disabled" };
  if (process === "gone") return { stop: "skipped_no_target" };
  const seesItSoon = hooked && activity === "busy";
  if (seesItSoon && activityIsCertain) return { stop: "skipped_busy" };
  if (waker !== null && waker !== "gone" && !tried.has("waker")) return { climb: "waker" };
  if (native && !tried.has("native")) return { climb: "native" };
  if (seesItSoon) return { stop: "skipped_busy" };
  if (mode === "auto" && process === "alive" && !tried.has("terminal")) return { climb: "terminal" };
  return { stop: "skipped_no_target" };
}

const STATUS_AFTER: Readonly<Record<WakeTry, WakeStatus | null>> = {
  sent: "fired_unconfirmed",
  failed: null,
  no_target: null,
  busy: "skipped_busy",
  draft: "skipped_draft",
  dialog: "skipped_dialog",
};

/** Null when the next rung may be tried. */
export function statusAfter(tried: WakeTry): WakeStatus | null {
  return STATUS_AFTER[tried];
}
