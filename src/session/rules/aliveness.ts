/**
 * Whether a session lives, waits, works and can be reached. All such judgements are made here, from facts and evidence.
 *
 * A process is alive, gone or unknown, and an unknown one loses nothing.
 *   gone       its process is gone and nothing was heard of it for the room's grace: it may lose its place and the stick
 *   active     seen lately and not gone
 *   waiting    a registered wait for the turn
 *   listening  it waits, receives mail as it comes, or works with hooks that show its mail
 *   reachable  it listens, or its harness is proven to take a wake
 *   lives      proven to run on this machine now, by its process, its hooks or its MCP server
 *   over       nothing of it runs any more
 *   silent     its machine was not heard of, though a process should be heard of there (host-silence.ts)
 *
 * A wait outlives its call by the room's grace. If the call came to its own end, the wait keeps its place for that
 * long, because its agent was told to call again. If the calling process died before the call was over, the wait is
 * *cut off*: it is served after all others, because nothing says that its agent will call again.
 */

import type { AgentId } from "../../core/ids.ts";
import type { Policy } from "../../core/policy.ts";
import { type ProcessRef, type ProcessVerdict, processKey } from "../../core/process.ts";
import { after, type Deadline, elapsedMs, hasPassed, type Instant, latest, wallMsOf } from "../../core/time.ts";
import type { Given } from "./decision-input.ts";
import { hostSilentMs, silenceDeadline } from "./host-silence.ts";
import type { Presence, Session, Wait } from "./session.ts";

/** One session as a room or its project knows it. What is left out is not known there. */
export interface SessionRecord {
  readonly agentId: AgentId;
  /** How a room last saw it. */
  readonly seen?: Presence | undefined;
  readonly wait?: Wait | undefined;
  /** What its calls, hooks and servers told of it. */
  readonly row?: Session;
}

export type Sight = Pick<Given, "moment" | "evidence">;

export function aliveness(session: SessionRecord, sight: Sight, policy: Policy): Aliveness {
  return new Aliveness(session, sight, policy);
}

/** If the environment of a server names a session, its client serves only that session. */
const BY_ENVIRONMENT: readonly Session["idSource"][] = ["explicit", "environment"];

/**
 * A call that ends within this time may have taken its mail already: the clock goes in steps of 10 ms, and timers may
 * be early.
 */
const ENDING_MS = 20;

/** Each answer is computed only when it is asked for, because every waiter asks about every waiter at every look. */
export class Aliveness {
  readonly #session: SessionRecord;
  readonly #sight: Sight;
  readonly #policy: Policy;

  constructor(session: SessionRecord, sight: Sight, policy: Policy) {
    this.#session = session;
    this.#sight = sight;
    this.#policy = policy;
  }

  /** The verdict about the process of its harness. */
  get process(): ProcessVerdict {
    return this.#sight.evidence.renamed?.get(this.#session.agentId) ?? verdictOf(this.#process, this.#sight);
  }

  /** Since its last sign of life: a call, or a sign that its hooks left. Infinite if that is unknown. */
  get silentMs(): number {
    const sign = this.#lastSign;
    return sign ? elapsedMs(sign, this.#sight.moment.instant) : Number.POSITIVE_INFINITY;
  }

  /** The same for people, in whole milliseconds; null when it is unknown. */
  get toldSilenceMs(): number | null {
    return Number.isFinite(this.silentMs) ? Math.floor(this.silentMs) : null;
  }

  /** How long it has been away. After a reboot, fall back to wall-clock time. */
  get absentMs(): number {
    const { silentMs } = this;
    const { seen } = this.#session;
    if (Number.isFinite(silentMs) || !seen) return silentMs;
    return Math.max(0, this.#sight.moment.wallMs - wallMsOf(seen.lastSeenAt));
  }

  get isGone(): boolean {
    return this.process === "gone" && this.silentMs >= this.#policy.goneGraceMs;
  }

  /** For how long its machine is silent, which proves nothing; null if it is not. */
  get hostSilentMs(): number | null {
    return this.process === "unknown" ? hostSilentMs(this.#signFrom(this.#process), this.#sight) : null;
  }

  /** When to look whether its machine is silent; null if that is known, or nothing is expected of the machine. */
  get silenceDeadline(): Deadline | null {
    return silenceDeadline(this.#signFrom(this.#process), this.#sight);
  }

  get isActive(): boolean {
    return !this.isGone && (this.isListening || this.absentMs < this.#policy.presenceTtlMs);
  }

  /** Its wait, if it still counts: the time is not over and its harness is not gone. */
  get wait(): Wait | null {
    const { wait } = this.#session;
    if (!wait || hasPassed(wait.deadline, this.#sight.moment.instant)) return null;
    return this.process === "gone" ? null : wait;
  }

  /**
   * The calling process died before the call was over, or its machine is silent. That is known now, or was found at an
   * earlier look.
   */
  get isCutOff(): boolean {
    const { wait } = this.#session;
    if (!wait || wait.caller === null) return wait !== undefined;
    const isDead = isAnyGone(this.#sight) && verdictOf(wait.caller, this.#sight) === "gone";
    return (isDead || hostSilentMs(this.#signFrom(wait.caller), this.#sight) !== null) && !this.#callIsOver(wait);
  }

  get isWaiting(): boolean {
    return this.wait?.claims === true && !this.isCutOff;
  }

  /** Whether its call shows mail that comes now. A wait that has outlived its call shows nothing. */
  get isShownMail(): boolean {
    const { wait } = this;
    if (!wait?.seesMail || !isRunning(wait.caller, this.#sight)) return false;
    return !isSuspended(this.#process, this.#sight) && !this.#callIsOver(wait, ENDING_MS);
  }

  /** Whether it will notice by itself what concerns it, without being woken. */
  get isListening(): boolean {
    const { hookedAndBusy, receiving } = this.#sight.evidence;
    const { agentId } = this.#session;
    if (hookedAndBusy?.has(agentId) || receiving?.has(agentId)) return true;
    return this.wait !== null && !this.isCutOff;
  }

  get isReachable(): boolean {
    return this.isListening || this.#sight.evidence.wakeable?.has(this.#session.agentId) === true;
  }

  get lives(): boolean {
    return this.#isSeenAlive || (this.#process === null && this.isServed);
  }

  /** At work, so that its hooks see what comes. */
  get isBusy(): boolean {
    const isStopped = isSuspended(this.#process, this.#sight);
    return this.#session.row?.activity.state === "busy" && this.#isSeenAlive && !isStopped;
  }

  /** The session has ended: its hooks have said so, its process is gone, or nothing of it runs. */
  get isOver(): boolean {
    return this.#process ? this.process === "gone" : this.#session.row?.hooked !== true && !this.isServed;
  }

  /** Whether an MCP server of ours runs for the session, and for it alone. */
  get isServed(): boolean {
    const { idSource = null, servers = [] } = this.#session.row ?? {};
    if (this.#process === null && !BY_ENVIRONMENT.includes(idSource)) return false;
    return servers.some((server) => verdictOf(server, this.#sight) === "alive");
  }

  get #lastSign(): Instant | null {
    const { agentId, seen } = this.#session;
    const sign = this.#sight.evidence.activity.get(agentId) ?? seen?.lastSeen ?? null;
    return sign && seen ? latest(seen.lastSeen, sign) : sign;
  }

  #signFrom(process: ProcessRef | null) {
    return { process, lastSeen: this.#lastSign };
  }

  get #process(): ProcessRef | null {
    const { seen, row } = this.#session;
    return seen?.process ?? row?.process ?? null;
  }

  /** If one process serves many sessions, only the hooks of a session show that it lives. */
  get #isSeenAlive(): boolean {
    if (this.#process) return this.process === "alive";
    return this.#session.row?.hooked === true && this.silentMs < this.#policy.ownerIdleMs;
  }

  /** Whether the call has come to its own end, and only its place in the queue is left. */
  #callIsOver({ deadline }: Wait, soonMs = 0): boolean {
    return hasPassed(after(deadline, -this.#policy.waitGraceMs - soonMs), this.#sight.moment.instant);
  }
}

export function verdictOf(process: ProcessRef | null, { evidence }: Pick<Sight, "evidence">): ProcessVerdict {
  if (process === null) return "unknown";
  return evidence.verdicts.get(processKey(process)) ?? "unknown";
}

/** A suspended process lives, but does nothing until it is continued. */
export function isSuspended(process: ProcessRef | null, { evidence }: Pick<Sight, "evidence">): boolean {
  return process !== null && evidence.suspended?.has(processKey(process)) === true;
}

export function isRunning(process: ProcessRef | null, sight: Pick<Sight, "evidence">): boolean {
  return verdictOf(process, sight) === "alive" && !isSuspended(process, sight);
}

/** Usually none is gone, and then no process keys have to be computed. */
function isAnyGone({ evidence }: Sight): boolean {
  for (const verdict of evidence.verdicts.values()) if (verdict === "gone") return true;
  return false;
}
