/**
 * A session whose harness said that it is over is retired: what it left running, such as a shell in the background, no
 * longer acts for it, or it would come back into the room, take the stick and read mail for nobody. The session's next
 * start, or its next prompt if that word was lost, makes it live again. A session without hooks is never retired.
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
 * Another process of the harness is the session resumed, even if no hook has told so; no process outlives its boot; and a
 * session whose hooks went on since is at work, in another process than the one that ended.
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
