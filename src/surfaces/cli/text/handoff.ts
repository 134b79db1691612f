import type { Artifact, Handoff } from "../../../domain/handoff.ts";
import { field } from "./wrap.ts";

/** A handoff in full: it is an instruction, so no part of it is ever left out. */
export function handoffText(handoff: Handoff, width: number): string {
  const { evidence } = handoff;
  const lines = [
    field("status", handoff.status, width),
    field("next action", handoff.nextAction, width),
    ...(handoff.artifacts ?? []).map((artifact) => field("artifact", artifactText(artifact), width)),
    ...(handoff.openQuestions ?? []).map((text) => field("question", text, width)),
    ...(handoff.doNot ?? []).map((text) => field("do not", text, width)),
  ];
  if (evidence?.head) {
    const tree = evidence.dirty === null ? "" : evidence.dirty ? ", uncommitted changes" : ", clean";
    const branch = evidence.branch === null ? "" : ` on ${evidence.branch}`;
    lines.push(field("tree", `${evidence.head.slice(0, 10)}${branch}${tree}`, width));
  }
  if (evidence?.diffStat) lines.push(field("since then", evidence.diffStat, width));
  return lines.join("\n");
}

export function artifactText({ path, lines, role, note }: Artifact): string {
  const range = lines ? `:${lines[0]}-${lines[1]}` : "";
  return `${path}${range}${role ? ` (${role})` : ""}${note ? `: ${note}` : ""}`;
}
