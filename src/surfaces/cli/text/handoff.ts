import type { Handoff, HandoffEvidence } from "../../../core/handoff.ts";
import { evidenceParts, type HandoffPart, handoffParts } from "../../picture/handoff-words.ts";
import { field } from "../../words/wrap.ts";

interface HandoffPage {
  readonly width: number;
  /** Left out for a line of the log. */
  readonly nowMs?: number;
  readonly indent?: string;
}

/** A handoff in full: it is an instruction, so no part of it is ever left out. */
export function handoffText(handoff: Handoff, page: HandoffPage): string {
  return partsText(handoffParts(handoff, page.nowMs), page);
}

/** What an event brought for a handoff. */
export function evidenceText(evidence: HandoffEvidence, page: HandoffPage): string {
  const parts = evidenceParts(evidence);
  return partsText(parts.length === 0 ? [{ label: "tree", text: "git could not compare the files" }] : parts, page);
}

function partsText(parts: readonly HandoffPart[], { width, indent = "  " }: HandoffPage): string {
  return parts.map(({ label, text }) => field(label, text, width, indent)).join("\n");
}
