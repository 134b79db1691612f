/** What the hooks of a harness leave in files, outside the store. */
import type { AgentId } from "../../core/ids.ts";
import type { Instant } from "../../core/time.ts";
import type { ToldActivity } from "../../session/rules/newest-activity.ts";

/** Signs of life. */
export interface ActivityLog {
  lastSign(sessionId: string): Instant | null;
}

/** Notes of the shell of hooks. */
export interface ToldActivities {
  /** The sessions that have a note. */
  sessions(): ReadonlySet<string>;
  /** Null for a note that does not count, for example one of an earlier boot. */
  read(sessionId: string): ToldActivity | "gone" | null;
  /** The session's row says it by now. Nothing is forgotten that was told since. */
  forget(sessionId: string, told: ToldActivity): void;
}

/**
 * Marks of sessions for which nothing is to do. While a mark counts, the shell of their hooks answers a prompt and the end
 * of a turn by itself.
 *
 * A mark belongs to a permit of its agent, which is older than the look that found nothing. Whatever gives the agent a
 * stick removes the permit inside its transaction. A hook that starts the program removes it first, if it is not the guard's,
 * `own-tool`, or one within a subagent. None of these throws.
 */
export interface QuietMarks {
  /** Gives the agent a new permit; an earlier one is worth nothing. Null if it cannot be written. */
  open(agentId: AgentId): QuietPermit | null;
  close(agentId: AgentId): void;
  leave(mark: QuietMark): void;
}

export interface QuietPermit {
  readonly agentId: AgentId;
  readonly word: string;
  /** The mark counts for a fixed time from then, however late it is left. */
  readonly givenAt: Instant;
}

export interface QuietMark {
  readonly sessionId: string;
  readonly permit: QuietPermit;
  /** A session that has moved to another directory is for the program. */
  readonly cwd: string;
  /** The process that called the hook, since a session may be in two, and the version of the script that it called. */
  readonly calledBy: string;
  /** Process numbers of its MCP servers. When all have ended, its model has to be told. */
  readonly servers: readonly number[];
  /** The turn that the hook belonged to. */
  readonly turn: string | null;
}
