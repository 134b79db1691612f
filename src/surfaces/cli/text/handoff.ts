import type { Artifact, ChangedInTurn, Check, Handoff, HandoffEvidence } from "../../../core/handoff.ts";
import { oneLine } from "../../../core/visible.ts";
import { type CheckMark, checkMark } from "../../../stick/rules/check.ts";
import { field } from "../../words/wrap.ts";

/** A handoff in full: it is an instruction, so no part of it is ever left out. */
export function handoffText(handoff: Handoff, width: number, indent = "  "): string {
  const { evidence } = handoff;
  const line = (label: string, text: string) => field(label, text, width, indent);
  const lines = [
    line("status", handoff.status),
    line("next action", handoff.nextAction),
    ...(handoff.artifacts ?? []).map((artifact) => line("artifact", artifactText(artifact))),
    ...(handoff.openQuestions ?? []).map((text) => line("question", text)),
    ...(handoff.doNot ?? []).map((text) => line("do not", text)),
  ];
  if (evidence?.head) {
    const tree = evidence.dirty === null ? "" : evidence.dirty ? ", uncommitted changes" : ", clean";
    const branch = evidence.branch === null ? "" : ` on ${evidence.branch}`;
    lines.push(line("tree", `${evidence.head.slice(0, 10)}${branch}${tree}${untrackedText(evidence)}`));
  }
  if (evidence?.changed) lines.push(line("changed", changedText(evidence.changed)));
  else if (evidence?.diffStat) lines.push(line("since then", evidence.diffStat));
  for (const check of handoff.checks ?? []) lines.push(line("check", checkText(check, evidence?.tree ?? null)));
  return lines.join("\n");
}

const MARKS: Readonly<Record<CheckMark, string>> = {
  passed: "✓",
  failed: "✗",
  passed_before_changes: "✓ before later changes:",
};

/** `tree`: the files at the end of the turn. */
function checkText(check: Check, tree: string | null): string {
  const mark = checkMark(check, tree);
  const code = check.exitCode === 0 ? "" : ` (ended with ${check.exitCode})`;
  return `${MARKS[mark]} ${check.command}${code}`;
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

export function artifactText({ path, lines, role, note }: Artifact): string {
  const range = lines ? `:${lines[0]}-${lines[1]}` : "";
  return `${path}${range}${role ? ` (${role})` : ""}${note ? `: ${note}` : ""}`;
}
