/** Events of a room as the page has them, told in short. */
import type { EventType, RoomEvent } from "../../../src/core/event.ts";
import type { AgentId, EventId, RoomId } from "../../../src/core/ids.ts";

/** Noon, so that a few hours more are the same day in every time zone of the tests. */
export const NOON_MS = Date.UTC(2026, 10, 19, 12);
const MINUTE_MS = 60_000;

export const agent = (name: string) => name as AgentId;

type Columns = Partial<Omit<RoomEvent, "type" | "payload">>;

export interface ToldEvent extends Columns {
  readonly type: EventType | "of_a_newer_program";
  /** Minutes after noon. */
  readonly minute: number;
  readonly by?: string | null;
  readonly payload?: object;
}

const HANDOFF = { status: "done", nextAction: "go on", checks: [] };

/** In their order, with numbers from `firstSeq` on. */
export function told(events: readonly ToldEvent[], firstSeq = 1): readonly RoomEvent[] {
  return events.map(({ minute, by = "codex:1", payload = {}, ...columns }, index) => {
    const seq = firstSeq + index;
    return {
      seq,
      eventId: `e${seq}` as EventId,
      roomId: "room" as RoomId,
      turnId: 1,
      fromAgentId: by === null ? null : agent(by),
      toAgentId: null,
      handoff: null,
      reason: null,
      createdAt: new Date(NOON_MS + minute * MINUTE_MS).toISOString(),
      payload,
      ...columns,
    } as RoomEvent;
  });
}

export function claimed(minute: number, turnId: number, by = "codex:1"): ToldEvent {
  return { type: "claim", minute, by, turnId, payload: { reason: "sequence", gitHead: null } };
}

export function released(minute: number, turnId: number, by = "codex:1"): ToldEvent {
  return { type: "release", minute, by, turnId, handoff: HANDOFF, payload: { reservedFor: null } };
}

/** Git has answered about the handoff at `handoffSeq`. */
export function evidenceAttached(minute: number, turnId: number, handoffSeq: number, evidence: object): ToldEvent {
  return { type: "evidence_attached", minute, turnId, payload: { handoffSeq, evidence } };
}

export function takenOver(minute: number, turnId: number, by: string, from: string): ToldEvent {
  const payload = { revokedAgentId: agent(from), ground: "operator_requested", gitHead: null };
  return { type: "takeover", minute, by, turnId, payload };
}

export function said(minute: number, body: string, by = "codex:1", toAgentId: AgentId | null = null): ToldEvent {
  const payload = { body, bodyBytes: body.length, origin: "peer", deliveryHint: "normal", chainId: "c", hops: 0 };
  return { type: "message_sent", minute, by, toAgentId, payload };
}

export function checked(minute: number, exitCode: number, turnId = 1): ToldEvent {
  return { type: "check_run", minute, turnId, payload: { command: "npm test", exitCode, durationMs: 1200 } };
}

export function writtenBy(minute: number, by: string | null, duringTurn: number | null): ToldEvent {
  return {
    type: "foreign_write",
    minute,
    by,
    payload: { paths: ["src/a.ts"], more: 0, evidence: "tool_call", duringTurn },
  };
}
