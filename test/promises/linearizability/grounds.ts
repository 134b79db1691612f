/**
 * What time allows. A lease expires no sooner than its time after the last renewal that the owner knew of, a
 * reservation no sooner than its time after it was made, and a process is gone no sooner than it ended.
 */
import type { EventView } from "../../../src/room/rules/event-view.ts";
import { byAgent } from "./attribution.ts";
import type { Bounds } from "./bounds.ts";
import type { Finding } from "./finding.ts";
import type { History } from "./history.ts";
import { payloadOf } from "./model.ts";
import type { Operation } from "./operation.ts";
import type { Timeline } from "./timeline.ts";

const NS_PER_MS = 1e6;

/** Deadlines count in steps of 10 ms, and rounding may shorten them by one. */
const ROUNDING_NS = 20 * NS_PER_MS;

type Span = Pick<Operation, "invokedAt" | "answeredAt">;

const RENEWING = new Set(["your_turn", "taken", "renewed", "joined", "noted"]);

export class Grounds {
  readonly #history: History;
  readonly #timeline: Timeline;
  readonly #bounds: Bounds;
  readonly #renewals: ReadonlyMap<string, readonly Operation[]>;

  constructor(history: History, timeline: Timeline, bounds: Bounds) {
    this.#history = history;
    this.#timeline = timeline;
    this.#bounds = bounds;
    this.#renewals = byAgent(history.operations.filter(({ answer }) => answer !== null && RENEWING.has(answer.is)));
  }

  mayBeGone(agent: string, by: number): boolean {
    return (this.#history.endedAt.get(agent) ?? Number.POSITIVE_INFINITY) <= by;
  }

  /** Whether the lease of the turn can have expired for an agent that looked within this span of time. */
  mayHaveExpired(turnId: number, { invokedAt, answeredAt }: Span): boolean {
    const grant = this.#timeline.grantOf(turnId);
    if (grant === null) return false;
    const owner = this.#timeline.at(grant).owner ?? "";
    const renewedAt = Math.max(this.#bounds.earliest(grant), this.#lastRenewal(owner, invokedAt));
    return answeredAt >= renewedAt + this.#history.times.leaseTtlMs * NS_PER_MS - ROUNDING_NS;
  }

  /** When the owner began the last renewal of which it was told before that time. */
  #lastRenewal(owner: string, before: number): number {
    const renewals = this.#renewals.get(owner) ?? [];
    let low = 0;
    let high = renewals.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((renewals[middle]?.answeredAt ?? 0) < before) low = middle + 1;
      else high = middle;
    }
    return renewals[low - 1]?.invokedAt ?? Number.NEGATIVE_INFINITY;
  }

  /** What the log says has expired or is gone, though it cannot have. */
  findings(): Finding[] {
    const findings: Finding[] = [];
    let reservedAt = Number.NEGATIVE_INFINITY;
    for (const [index, event] of this.#timeline.log.entries()) {
      const seq = index + 1;
      const problem = this.#tooEarly(seq, reservedAt);
      if (problem !== null) findings.push({ rule: "time", text: `event ${seq} (${event.eventType}): ${problem}` });
      const { reservedFor } = this.#timeline.at(seq);
      const isNew = reservedFor !== null && this.#timeline.at(seq - 1).reservedFor !== reservedFor;
      if (isNew) reservedAt = this.#bounds.earliest(seq);
    }
    return findings;
  }

  #groundless(seq: number, event: EventView): string | null {
    const { ground, revokedAgentId = "" } = payloadOf(event);
    const span = { invokedAt: this.#bounds.earliest(seq), answeredAt: this.#bounds.latest(seq) };
    if (ground === "owner_gone") {
      return this.mayBeGone(revokedAgentId, span.answeredAt) ? null : "the owner's process was alive";
    }
    const hasExpired = ground === "owner_timeout" && this.mayHaveExpired(event.turnId - 1, span);
    return hasExpired ? null : `taken on the ground ${ground} while the lease was running`;
  }

  #tooEarly(seq: number, reservedAt: number): string | null {
    const event = this.#timeline.event(seq);
    if (!event) return null;
    const by = this.#bounds.latest(seq);
    const { reason, cause } = payloadOf(event);
    if (event.eventType === "takeover") return this.#groundless(seq, event);
    if (event.eventType === "member_left" && reason === "process_gone") {
      return this.mayBeGone(event.fromAgentId ?? "", by) ? null : "its process was alive";
    }
    if (event.eventType !== "reservation_expired") return null;
    if (cause === "recipient_gone") {
      return this.mayBeGone(event.toAgentId ?? "", by) ? null : "the recipient's process was alive";
    }
    if (cause === "given_up") return "nobody gives up a wait here";
    const { claimTtlMs, releaseClaimTtlMs } = this.#history.times;
    const ttlMs = this.#timeline.at(seq - 1).via === "pass" ? claimTtlMs : releaseClaimTtlMs;
    return by >= reservedAt + ttlMs * NS_PER_MS - ROUNDING_NS ? null : "its time had not passed";
  }
}
