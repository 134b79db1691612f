/**
 * What we see of the tree when a turn ends. Files tell head and branch, so the handoff has them at once. What only git can
 * tell is pending until the stick has moved on. Then an event brings the whole evidence, and takes the place of the first.
 */
import type { CheckedOut, HandoffEvidence } from "../../core/handoff.ts";
import type { Policy } from "../../core/policy.ts";
import { wallMsOf, wallTime } from "../../core/time.ts";
import { begin, type Decision, record } from "../../room/rules/change.ts";
import type { AttachedHandoff, Room, RoomState } from "../../room/rules/room.ts";
import type { Given } from "../../session/rules/decision-input.ts";

const NOT_KNOWN = { dirty: null, untracked: null, diffStat: null };

/** Besides the snapshot: for what else git is asked, and for a store that is busy. */
const MARGIN_MS = 5000;

/** How long the program that ended a turn goes on for its evidence. */
export function evidenceBudgetMs({ snapshotMaxMs }: Pick<Policy, "snapshotMaxMs">): number {
  return snapshotMaxMs + MARGIN_MS;
}

export function pendingEvidence(checkedOut: CheckedOut, { policy }: Room, { moment }: Given): HandoffEvidence {
  const pendingUntil = wallTime(moment.wallMs + evidenceBudgetMs(policy));
  return { ...checkedOut, ...NOT_KNOWN, pendingUntil };
}

/** `missing`: the program that ended the turn was stopped, or could not write what it found. */
export function evidenceStatus({ pendingUntil }: HandoffEvidence, nowMs: number): "complete" | "pending" | "missing" {
  if (pendingUntil === undefined) return "complete";
  return nowMs <= wallMsOf(pendingUntil) ? "pending" : "missing";
}

/** Only head and branch if git's answer is late, or the next holder has checked out something else by then. */
export function gitEvidence({ head, branch }: CheckedOut, found: HandoffEvidence | null): HandoffEvidence {
  const isSame = found !== null && found.head === head && found.branch === branch;
  return { ...NOT_KNOWN, ...(isSame && found), head, branch };
}

/** Whether the tree at the end of the last turn is kept or will be, and nothing but its evidence has happened since. */
export function isLastEndKept({ handoff, lastSeq }: RoomState): boolean {
  const { tree, pendingUntil } = handoff?.handoff.evidence ?? {};
  if (handoff === null || (tree === undefined && pendingUntil === undefined)) return false;
  return lastSeq === (handoff.evidenceSeq === handoff.seq + 1 ? handoff.evidenceSeq : handoff.seq);
}

export interface AttachEvidence {
  readonly turnId: number;
  readonly handoff: Pick<AttachedHandoff, "seq" | "fromAgentId">;
  readonly evidence: HandoffEvidence;
}

export interface EvidenceAttached {
  /** The next turn is over by now, too: a snapshot that was taken meanwhile may have all of its changes. */
  readonly isLate: boolean;
}

/** The program of the former holder has asked git. It may have left the room since, and a later turn may have ended. */
export function attachEvidence(
  room: Room,
  given: Given,
  { turnId, handoff, evidence }: AttachEvidence,
): Decision<EvidenceAttached> {
  const isLate = isTurnOver(room.state, turnId + 1);
  const payload = { handoffSeq: handoff.seq, evidence: isLate ? gitEvidence(evidence, null) : evidence };
  const details = { from: handoff.fromAgentId, turnId };
  return { change: record(begin(room), given, "evidence_attached", payload, details), answer: { isLate } };
}

function isTurnOver({ turnId: last, owner }: RoomState, turnId: number): boolean {
  return last > turnId || (last === turnId && owner === null);
}
