/**
 * What is known about a session beyond its memberships: where it works, how it was recognised, where its transcript is,
 * what its mailbox understands, and what it was doing when it last told. One row per session and project.
 *
 * No rule about the stick needs any of this. A row is written when a session joins, registers, or when a hook tells of
 * it, and only if something differs. A session without a row has the defaults below.
 */
import type { AgentId, Handle } from "../../core/ids.ts";
import type { ProcessRef } from "../../core/process.ts";
import type { Deadline, Instant } from "../../core/time.ts";
import type { StrategyName } from "./identity.ts";

/** What a session's mailbox understands. */
export interface MailboxCapabilities {
  /** It answers with `reply_to`; otherwise an ask takes its next message for the answer. */
  readonly replyTo: boolean;
  /** It shows the sender of a message. */
  readonly provenance: boolean;
  /** It keeps to a budget for what is pushed into it. */
  readonly pushBudget: boolean;
}

export interface Capabilities {
  readonly mailbox: MailboxCapabilities;
}

export const ALL_CAPABILITIES: Capabilities = { mailbox: { replyTo: true, provenance: true, pushBudget: true } };

export const ACTIVITIES = ["busy", "idle", "unknown"] as const;
export type ActivityState = (typeof ACTIVITIES)[number];

export interface Activity {
  readonly state: ActivityState;
  /** Wall time; null while it is not known. */
  readonly since: string | null;
}

/** What a look at its harness shows. */
export interface SeenActivity extends Activity {
  /** The harness shows its user a prompt, for example for a permission, and goes on once that is answered. */
  readonly asksUser?: true;
}

export const UNKNOWN_ACTIVITY: Activity = { state: "unknown", since: null };

/** What a surface finds out about the session that calls, besides who it is. */
export interface SessionFacts {
  readonly idSource: StrategyName;
  readonly harnessVersion: string | null;
  readonly cwd: string | null;
  readonly transcriptPath: string | null;
  /** The calling process, where it can begin a turn of the session. */
  readonly waker?: ProcessRef;
  /** A subagent of the session calls. The mail belongs to the session and not to the subagent. */
  readonly isSubagent?: true;
}

export interface Session {
  readonly agentId: AgentId;
  readonly project: string;
  readonly harness: string;
  readonly harnessVersion: string | null;
  readonly sessionId: string | null;
  readonly idSource: StrategyName | null;
  readonly cwd: string | null;
  readonly transcriptPath: string | null;
  readonly capabilities: Capabilities;
  readonly activity: Activity;
  /** The harness's own process, if it serves this session alone. */
  readonly process: ProcessRef | null;
  /** Hooks, or a plugin, in its harness show it its mail. */
  readonly hooked: boolean;
  /** A process inside the harness that can begin a turn of it. */
  readonly waker: ProcessRef | null;
  /** The harness's name for the turn that its last prompt began; null if it has no names for turns. */
  readonly turn: string | null;
  /** The MCP servers of ours that its harness started for it. A server that ends normally removes itself. */
  readonly servers: readonly ProcessRef[];
}

/** How a room last saw a session. */
export interface Presence {
  readonly agentId: AgentId;
  readonly handle: Handle;
  readonly lastSeen: Instant;
  readonly lastSeenAt: string;
  /** The harness's own process, if it serves this session alone; null proves nothing. */
  readonly process: ProcessRef | null;
  readonly sessionId: string | null;
  /** The tmux pane it runs in, when it is known. */
  readonly tmuxPane: string | null;
}

/** A registered wait. `claims: false` receives what is handed over but stands in no queue. */
export interface Wait {
  readonly agentId: AgentId;
  readonly claims: boolean;
  /** Whether mail that comes meanwhile ends the call, or is given to it. */
  readonly seesMail: boolean;
  /** The process of the waiting call; null once it was seen dead before the call was over, and the grace has begun. */
  readonly caller: ProcessRef | null;
  readonly sinceAt: string;
  readonly deadline: Deadline;
}

export interface SessionKey {
  readonly agentId: AgentId;
  readonly project: string;
}

export function newSession({ agentId, project }: SessionKey, harness: string): Session {
  return {
    agentId,
    project,
    harness,
    harnessVersion: null,
    sessionId: null,
    idSource: null,
    cwd: null,
    transcriptPath: null,
    capabilities: ALL_CAPABILITIES,
    activity: UNKNOWN_ACTIVITY,
    process: null,
    hooked: false,
    waker: null,
    turn: null,
    servers: [],
  };
}

/** Adds the facts of a call. A fact that the call could not know stays as before. */
export function withFacts(known: Session, sessionId: string | null, facts: SessionFacts): Session {
  return {
    ...known,
    sessionId: sessionId ?? known.sessionId,
    idSource: facts.idSource,
    harnessVersion: facts.harnessVersion ?? known.harnessVersion,
    cwd: facts.cwd ?? known.cwd,
    transcriptPath: facts.transcriptPath ?? (isSameSession(known, sessionId) ? known.transcriptPath : null),
    waker: facts.waker ?? known.waker,
  };
}

/** A process that began another session writes another transcript. */
function isSameSession(known: Session, sessionId: string | null): boolean {
  return sessionId === null || known.sessionId === null || known.sessionId === sessionId;
}

/** `since` moves only with the state, unless it `begins` again. */
export function withActivity(known: Session, state: ActivityState, at: string, begins = false): Session {
  return known.activity.state === state && !begins ? known : { ...known, activity: { state, since: at } };
}

export function isSameRow(a: Session, b: Session): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
