/** A handoff in full: it is an instruction, so no part of it is ever left out. */
import type { Artifact, ChangedInTurn, Check, Handoff, HandoffEvidence } from "../../core/handoff.ts";
import { oneLine } from "../../core/visible.ts";
import { type CheckMark, checkMark } from "../../stick/rules/check.ts";
import { evidenceStatus } from "../../stick/rules/handoff-evidence.ts";

export interface HandoffPart {
  readonly label: string;
  /** As its author wrote it: a surface makes it visible. */
  readonly text: string;
}

/**
 * The author's own words first, then what the service saw by itself. `nowMs`: for a reader of the present, who must know
 * whether more will come. The log shows what came as an event of its own.
 */
export function handoffParts(handoff: Handoff, nowMs?: number): readonly HandoffPart[] {
  const { evidence, checks = [], artifacts = [], openQuestions = [], doNot = [] } = handoff;
  return [
    { label: "status", text: handoff.status },
    { label: "next action", text: handoff.nextAction },
    ...artifacts.map((artifact) => ({ label: "artifact", text: artifactText(artifact) })),
    ...openQuestions.map((text) => ({ label: "question", text })),
    ...doNot.map((text) => ({ label: "do not", text })),
    ...(evidence ? evidenceParts(evidence) : []),
    ...(evidence && nowMs !== undefined ? awaitedParts(evidence, nowMs) : []),
    ...checks.map((check) => ({ label: "check", text: checkText(check, evidence?.tree ?? null) })),
  ];
}

const AWAITED = {
  complete: null,
  pending: "not known yet: git is still comparing the files",
  missing: "not known: no comparison of the files came",
} as const;

function awaitedParts(evidence: HandoffEvidence, nowMs: number): readonly HandoffPart[] {
  const text = AWAITED[evidenceStatus(evidence, nowMs)];
  return text === null ? [] : [{ label: "changed", text }];
}

export function evidenceParts(evidence: HandoffEvidence): readonly HandoffPart[] {
  const { head, branch, changed, diffStat } = evidence;
  const isDirty = evidence.dirty === null ? "" : evidence.dirty ? ", uncommitted changes" : ", clean";
  const on = branch === null ? "" : ` on ${branch}`;
  return [
    ...(head ? [{ label: "tree", text: `${head.slice(0, 10)}${on}${isDirty}${untrackedText(evidence)}` }] : []),
    ...(changed
      ? [{ label: "changed", text: changedText(changed) }]
      : diffStat
        ? [{ label: "since then", text: diffStat }]
        : []),
  ];
}

const MARKS: Readonly<Record<CheckMark, string>> = {
  passed: "✓",
  failed: "✗",
  passed_before_changes: "✓ before later changes:",
};

/** `tree`: the files at the end of the turn. */
function checkText(check: Check, tree: string | null): string {
  const code = check.exitCode === 0 ? "" : ` (ended with ${check.exitCode})`;
  return `${MARKS[checkMark(check, tree)]} ${check.command}${code}`;
}

/** What the turn changed, by the record and not by words. */
function changedText({ files, more }: ChangedInTurn): string {
  const all = files.map(
    ({ path, added, removed }) => `${oneLine(path)} ${added === null ? "(binary)" : `+${added} −${removed}`}`,
  );
  return all.length === 0 ? "nothing" : [...all, ...(more > 0 ? [`${more} more`] : [])].join(", ");
}

function untrackedText({ untracked = null }: HandoffEvidence): string {
  if (untracked === null || untracked === 0) return "";
  return untracked === 1 ? ", 1 untracked file or directory" : `, ${untracked} untracked files or directories`;
}

function artifactText({ path, lines, role, note }: Artifact): string {
  const range = lines ? `:${lines[0]}-${lines[1]}` : "";
  return `${path}${range}${role ? ` (${role})` : ""}${note ? `: ${note}` : ""}`;
}
