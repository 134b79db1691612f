/**
 * A session whose harness said that it is over is retired: what it left running, such as a shell in the background, no
 * longer acts for it, or it would come back into the room, take the stick and read mail for nobody. The session's next
 * start, or its next prompt if that word was lost, makes it live again. A session without hooks is never retired.
 */
import type { AgentId } from "../ids.ts";
import { type ProcessRef, processKey } from "../process.ts";
import { type Refusal, refuse } from "../refusal.ts";
import type { Instant } from "../time.ts";

export interface Retirement {
  readonly at: Instant;
  /** The harness's process in which the session ended, where that is its alone. */
  readonly process: ProcessRef | null;
}

/** Another process of the harness is the session resumed, even if no hook has told so; no process outlives its boot. */
export function isLeftover(retirement: Retirement, process: ProcessRef | null, now: Instant): boolean {
  if (retirement.at.epoch !== now.epoch) return false;
  if (!process || !retirement.process) return true;
  return processKey(process) === processKey(retirement.process);
}

export function sessionEnded(agentId: AgentId, sessionId: string | null): Refusal {
  return refuse(
    "session_ended",
    `The session of ${agentId} has ended, and this is a process that it left behind.`,
    "Stop here; resume the session in its harness to go on as this agent.",
    { agent_id: agentId, session_id: sessionId },
  );
}
