/** Histories made by hand, for tests of the checker: events as they stand in the log, and operations with their times. */
import type { EventView } from "../../../src/room/rules/event-view.ts";
import type { FinalRoom, History } from "./history.ts";
import type { Answer, Operation, Request, Sighting } from "./operation.ts";

const MS = 1e6;

interface Columns {
  readonly turnId?: number;
  readonly toAgentId?: string;
  readonly handoff?: { readonly status: string; readonly nextAction: string };
  readonly reason?: string;
  readonly payload?: object;
}

export class Story {
  readonly log: EventView[] = [];
  readonly operations: Operation[] = [];
  readonly endedAt = new Map<string, number>();
  final: FinalRoom = { turnId: 0, owner: null, reservedFor: null, memberCount: 0 };
  readonly #asked = new Map<string, number>();

  /** An event, in the order of the log. */
  logs(eventType: EventView["eventType"], from: string | null, about: Columns = {}): this {
    const eventSeq = this.log.length + 1;
    const event = { eventSeq, eventId: `event${eventSeq}`, roomId: "room", turnId: 0, eventType, fromAgentId: from };
    const rest = { toAgentId: null, handoff: null, reason: null, createdAt: "", payload: {} };
    this.log.push({ ...event, ...rest, ...about } as unknown as EventView);
    return this;
  }

  /** An operation from one millisecond to another; without an answer its process died over it. */
  does(agent: string, from: number, to: number, request: Request, answer: Answer | null): this {
    const index = this.#asked.get(agent) ?? 0;
    this.#asked.set(agent, index + 1);
    const answeredAt = answer === null ? Number.POSITIVE_INFINITY : to * MS;
    this.operations.push({ agent, index, request, invokedAt: from * MS, answeredAt, answer });
    return this;
  }

  dies(agent: string, at: number): this {
    this.endedAt.set(agent, at * MS);
    return this;
  }

  endsWith(final: Partial<FinalRoom>): this {
    this.final = { ...this.final, ...final };
    return this;
  }

  history(): History {
    const times = { leaseTtlMs: 1000, claimTtlMs: 150, releaseClaimTtlMs: 100 };
    const { log, final, operations, endedAt } = this;
    return { log, final, operations, endedAt, crashes: [], times };
  }
}

export const LOOK: Request = { kind: "wait", maxWaitMs: 0, claim: true };

export const STATE: Request = { kind: "state" };

export function sees(sighting: Partial<Sighting> & { handoff?: string | null; memberCount?: number }): Answer {
  const unseen = { turnId: 0, owner: null, reservedFor: null, state: "idle", handoff: null, memberCount: 2 };
  return { is: "state", ...unseen, ...sighting };
}

export function yourTurn(turnId: number, handoff: string | null = null, from: string | null = null) {
  return { is: "your_turn", turnId, leaseId: `lease${turnId}`, handoff, from, reason: "open_claim" } as const;
}

export function release(turnId: number, tag: string) {
  return { kind: "release", tag, turnId, leaseId: `lease${turnId}` } as const;
}

export const handoff = (status: string) => ({ status, nextAction: "go on" });

/** Two agents join; the first claims, from 20 to 30 ms. */
export function held(): Story {
  return new Story()
    .logs("member_joined", "a", { payload: { reason: "first" } })
    .logs("member_joined", "b", { payload: { reason: "first" } })
    .logs("claim", "a", { turnId: 1, payload: { reason: "open_claim" } })
    .does("a", 0, 5, { kind: "join" }, { is: "joined", cursor: 1, state: "idle", memberCount: 1 })
    .does("b", 6, 9, { kind: "join" }, { is: "joined", cursor: 2, state: "idle", memberCount: 2 })
    .does("a", 20, 30, LOOK, yourTurn(1))
    .endsWith({ turnId: 1, owner: "a", memberCount: 2 });
}

/** The first one has released, from 40 to 50 ms. */
export function released(): Story {
  return held()
    .logs("release", "a", { turnId: 1, handoff: handoff("a#1"), payload: { reservedFor: null } })
    .does("a", 40, 50, release(1, "a#1"), { is: "released", seq: 4, reservedFor: null })
    .endsWith({ turnId: 1, owner: null, memberCount: 2 });
}

/** The first one has passed the stick to the second, from 40 to 50 ms. */
export function passed(): Story {
  return held()
    .logs("pass", "a", { turnId: 1, toAgentId: "b", handoff: handoff("a#1") })
    .does("a", 40, 50, { ...release(1, "a#1"), kind: "pass", to: "b" }, { is: "passed", seq: 4, reservedFor: "b" })
    .endsWith({ owner: null, reservedFor: "b" });
}

/** The second one has taken the stick over. */
export function taken(ground: string, from: number, to: number): Story {
  const request: Request = { kind: "takeover", tag: "b#1", turnId: 1 };
  const answer: Answer = { is: "taken", turnId: 2, leaseId: "lease2", handoff: null, revoked: "a", ground, tag: "b#1" };
  return held()
    .logs("takeover", "b", { turnId: 2, toAgentId: "a", reason: "b#1", payload: { revokedAgentId: "a", ground } })
    .does("b", from, to, request, answer)
    .endsWith({ turnId: 2, owner: "b" });
}

/** A reservation that expired, and a note written then. */
export function expired(at: number): Story {
  const payload = { cause: "timeout", reservedFor: null };
  return passed()
    .logs("reservation_expired", null, { turnId: 1, toAgentId: "b", payload })
    .logs("note_added", "a", { turnId: 1, payload: { preview: "a#2", turnId: null } })
    .does("a", at, at + 5, { kind: "note", tag: "a#2", turnId: null }, { is: "noted", tag: "a#2", turnId: null })
    .endsWith({ reservedFor: null });
}
