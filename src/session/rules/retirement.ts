/**
 * A session whose harness reported its end is retired: a process that it left running, such as a background shell, no
 * longer acts for it. Otherwise that process would join again, take the stick and read mail for no agent. The session's
 * next start, or its next prompt if the start was lost, makes it live again. A session without hooks is never retired.
 */
import type { AgentId } from "../../core/ids.ts";
import { type ProcessRef, processKey } from "../../core/process.ts";
import { type Refusal, refuse } from "../../core/refusal.ts";
import { elapsedMs, type Instant } from "../../core/time.ts";

export interface Retirement {
  readonly at: Instant;
  /** The harness's process in which the session ended, where that is its alone. */
  readonly process: ProcessRef | null;
}

export interface CallerSight {
  /** The harness's process that the caller belongs to, where it has one. */
  readonly process: ProcessRef | null;
  /** The last sign of life that a hook of the session left. */
  readonly sign: Instant | null;
  readonly now: Instant;
}

/**
 * Not a leftover: another process of the harness is the resumed session, even if no hook reported it. No process
 * outlives its boot. A session whose hooks ran since is at work, in another process than the one that ended.
 */
export function isLeftover({ at, process: endedIn }: Retirement, { process, sign, now }: CallerSight): boolean {
  if (at.epoch !== now.epoch || (sign && elapsedMs(at, sign) > 0)) return false;
  return !process || !endedIn || processKey(process) === processKey(endedIn);
}

export function sessionEnded(agentId: AgentId, sessionId: string | null): Refusal<"session_ended"> {
  return refuse(
    "session_ended",
    `The session of ${agentId} has ended, and this is a process that it left behind.`,
    "Stop here; resume the session in its harness to go on as this agent.",
    { agent_id: agentId, session_id: sessionId },
  );
}
