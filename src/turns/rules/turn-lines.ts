/** The turns of a room, from its log: who held the stick, from when to when, what was checked and how it ended. */
import type { EventType, RoomEvent } from "../../core/event.ts";
import type { Check, Handoff } from "../../core/handoff.ts";
import type { AgentId } from "../../core/ids.ts";
import type { RecordedMoment, RecordedTurn } from "../../stick/rules/snapshot.ts";
import { type TurnEnd, turnEndBy } from "../../stick/rules/turn-end.ts";

export interface TurnLine {
  readonly turnId: number;
  readonly agentId: AgentId | null;
  /** Null if the log does not reach back that far. */
  readonly startedAt: string | null;
  /** Null while the turn goes on. */
  readonly endedAt: string | null;
  readonly ended: TurnEnd["how"] | null;
  readonly endedBy: AgentId | null;
  readonly checks: readonly Check[];
  /** What the holder handed over. */
  readonly handoff: Handoff | null;
  /** Where the turn stands in the log. */
  readonly firstSeq: number;
  readonly lastSeq: number | null;
}

const ABOUT_TURNS: readonly EventType[] = [
  ...(["claim", "takeover", "given", "release", "pass", "kick", "close", "member_left", "check_run"] as const),
  "evidence_attached",
];

export function isAboutTurns({ type }: RoomEvent): boolean {
  return ABOUT_TURNS.includes(type);
}

/** By number. The events are in their order. */
export function turnsIn(events: readonly RoomEvent[]): readonly TurnLine[] {
  const turns = new Map<number, TurnLine>();
  const checks = new Map<number, Check[]>();
  const change = (turnId: number, seq: number, fields: Partial<TurnLine>) =>
    turns.set(turnId, { ...(turns.get(turnId) ?? newTurn(turnId, seq)), ...fields });
  for (const event of events) {
    const { seq, turnId, fromAgentId: agentId, createdAt, handoff } = event;
    const end = turnEndBy(event);
    if (end !== null && end.turnId !== null) {
      const byHolder = handoff === null ? {} : { handoff, agentId };
      change(end.turnId, seq, { endedAt: createdAt, ended: end.how, endedBy: end.by, lastSeq: seq, ...byHolder });
    }
    if (event.type === "claim" || event.type === "takeover") {
      change(turnId, seq, { agentId, startedAt: createdAt, firstSeq: seq });
    }
    if (event.type === "evidence_attached") {
      const line = turns.get(turnId);
      const isOfHandoff = line?.handoff && line.lastSeq === event.payload.handoffSeq;
      if (isOfHandoff) change(turnId, seq, { handoff: { ...line.handoff, evidence: event.payload.evidence } });
    }
    if (event.type === "check_run") {
      // Not copied for each check: a turn may have thousands.
      const ofTurn = checks.get(turnId) ?? [];
      ofTurn.push(event.payload);
      checks.set(turnId, ofTurn);
      change(turnId, seq, { checks: ofTurn });
    }
  }
  return [...turns.values()].toSorted((a, b) => a.turnId - b.turnId);
}

function newTurn(turnId: number, firstSeq: number): TurnLine {
  const unknown = {
    agentId: null,
    startedAt: null,
    endedAt: null,
    ended: null,
    endedBy: null,
    handoff: null,
    lastSeq: null,
  };
  return { turnId, ...unknown, checks: [], firstSeq };
}

/**
 * `end_only`: the tree at its beginning was not kept, so what the turn changed is not known. `none`: no snapshot was
 * wanted, or the record is elsewhere.
 */
export type RecordState = "kept" | "late" | "end_only" | "pending" | "skipped" | "none";

export interface TurnMoments {
  readonly begin: RecordedMoment | null;
  readonly end: RecordedMoment | null;
}

/** A turn that followed directly begins with the tree that ended the turn before it. */
export function momentsOf(recorded: readonly RecordedTurn[], turnId: number): TurnMoments {
  const own = recorded.find(({ turn }) => turn === turnId);
  const before = recorded.find(({ turn }) => turn === turnId - 1);
  return { begin: own?.begin ?? before?.end ?? null, end: own?.end ?? null };
}
