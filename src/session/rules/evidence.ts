/** The evidence about the caller, gathered once. The rules look at nothing else. */

import type { Hash } from "../../core/agent-id.ts";
import type { HarnessIdentity, ProcessSight, Variables } from "../../core/harness.ts";
import type { AgentId } from "../../core/ids.ts";
import type { ProcessRef } from "../../core/process.ts";
import type { Instant } from "../../core/time.ts";

/** The processes above the caller, nearest first. */
export interface Ancestry {
  readonly processes: readonly ProcessSight[];
  /** False when something above may have been hidden, as in a sandbox with its own process numbers. */
  readonly complete: boolean;
}

export interface Terminal {
  readonly isTty: boolean;
  readonly user: string;
  readonly hostName: string;
  readonly tmuxPane: string | null;
  /** The leader of the caller's terminal session, when it can be seen. */
  readonly leader: ProcessSight | null;
}

/** Where the caller runs. */
export interface Surroundings {
  readonly env: Variables;
  readonly ancestry: Ancestry;
  readonly terminal: Terminal;
  readonly harnesses: readonly HarnessIdentity[];
}

/** A session as its harness names it. */
export interface SessionName {
  readonly harness: string;
  readonly sessionId: string;
}

/** What hooks recorded about a harness's process when its session started. */
export interface SessionCard extends SessionName {
  readonly transcriptPath: string | null;
  /** When the session ended in this process, or began to be replaced by another one. */
  readonly ending?: Instant | null;
}

/** What files say about the anchor (harness-finding.ts). */
export interface Records {
  /** The session id in the harness's own file about its process. */
  readonly ownSessionId: string | null;
  readonly card: SessionCard | null;
  /** The session that a caller claimed for this process. */
  readonly claim: SessionName | null;
}

/** The name a caller gave itself, and the agent that the store knows by it. */
export interface GivenName {
  /** Where it was given, such as `--agent`. */
  readonly source: string;
  readonly given: AgentId;
  /** The agent that it means now: the old name of a merged session leads to its present one. */
  readonly agentId: AgentId;
  /** The present name that the caller would have without the given one; null if it would have none. */
  readonly callerIsNow: AgentId | null;
  /**
   * The caller typed it with this command. Otherwise it comes from an environment or from the configuration of a
   * server.
   */
  readonly typed: boolean;
  /** Whether the store knows it as the name of a harness's session. */
  readonly isSession: boolean;
}

/** What came with one call of a long-lived server's client. */
export interface CallEvidence {
  readonly clientName: string | null;
  readonly clientVersion?: string | null;
  readonly meta: Readonly<Record<string, unknown>>;
}

export interface SessionEvidence extends Surroundings {
  /** Null for a process that lives as long as its one command. */
  readonly call: CallEvidence | null;
  /** For a hook: what its harness said on standard input. */
  readonly hook?: SessionName | null;
  readonly named: GivenName | null;
  /** The process that TT_AGENT_PID names, if it runs. */
  readonly namedProcess: ProcessRef | null;
  readonly records: Records;
  /** Whether other machines use the same store. */
  readonly shared: boolean;
  readonly hash: Hash;
}
