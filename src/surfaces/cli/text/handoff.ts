import type { Handoff } from "../../../core/handoff.ts";
import { handoffParts } from "../../picture/handoff-words.ts";
import { field } from "../../words/wrap.ts";

/** A handoff in full: it is an instruction, so no part of it is ever left out. */
export function handoffText(handoff: Handoff, width: number, indent = "  "): string {
  return handoffParts(handoff)
    .map(({ label, text }) => field(label, text, width, indent))
    .join("\n");
}
