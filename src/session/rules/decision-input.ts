/**
 * What a decision is given besides the room and the command. Decisions are pure: time, ids and liveness
 * evidence were gathered before the transaction and arrive here.
 */
import type { AgentId, LeaseId } from "../../core/ids.ts";
import type { ProcessRef, ProcessVerdict } from "../../core/process.ts";
import type { Instant, Moment } from "../../core/time.ts";
import type { HeardHosts } from "./host-silence.ts";
import type { SessionFacts } from "./session.ts";

/** Who is calling, as the surface's identity rules established it. */
export interface Caller {
  readonly agentId: AgentId;
  readonly harness: string;
  /** A person at a terminal, without a harness around. A person may override where agents may not. */
  readonly isPerson: boolean;
  /** The harness's process, when its death would mean the session's death. */
  readonly process: ProcessRef | null;
  /** The harness's own id of the session; null while only its process is known, and for people and scripts. */
  readonly sessionId: string | null;
  /** The provisional id that this session had, or would have had, before its session id became known. */
  readonly formerId: AgentId | null;
  readonly tmuxPane: string | null;
  /** What else the surface found out about the session; absent for programs that use the library. */
  readonly facts?: SessionFacts;
}

export interface Evidence {
  /** Verdicts by `processKey`; a process that was not probed is unknown. */
  readonly verdicts: ReadonlyMap<string, ProcessVerdict>;
  /** For members whose sessions have another name by now: whether the session runs in any of its known processes. */
  readonly renamed?: ReadonlyMap<AgentId, ProcessVerdict>;
  /** The suspended processes, by `processKey`. Absent here and below: nobody looked. */
  readonly suspended?: ReadonlySet<string>;
  /** What a shared store heard of the machines that the processes are on, by `bootKey`. */
  readonly hosts?: HeardHosts;
  /** Signs of life that a harness's hooks left outside the store; null if there are none. No entry: nobody looked. */
  readonly activity: ReadonlyMap<AgentId, Instant | null>;
  /** Whether the caller has outlived its harness, so that no agent reads its answer. */
  readonly orphaned?: boolean;
  /** Agents at work whose hooks show them their mail at the next tool call. */
  readonly hookedAndBusy?: ReadonlySet<AgentId>;
  /** Agents with a process that shows them new mail right now. */
  readonly receiving?: ReadonlySet<AgentId>;
  /** Agents whose harness is proven to take a wake. */
  readonly wakeable?: ReadonlySet<AgentId>;
  /** Agents whose sessions are over and may be resumed. */
  readonly away?: ReadonlySet<AgentId>;
}

export interface Given {
  readonly moment: Moment;
  readonly evidence: Evidence;
  readonly caller: Caller;
  /** Random; the ids of the command's events are made from it. */
  readonly commandId: string;
  /** Random; used only if the command is granted the stick. */
  readonly freshLeaseId: LeaseId;
  /** Whether the log says that the caller has been in the room; called only when it joins, absent without a log. */
  readonly hasBeenHere?: () => boolean;
}

export const NO_EVIDENCE: Evidence = { verdicts: new Map(), activity: new Map() };
