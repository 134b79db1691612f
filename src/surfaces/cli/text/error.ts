/**
 * An error for a person: what is wrong, what to do next, and the facts that the next step mentions. Only the words of
 * the facts are never broken: a person copies them.
 */

import { wrap, wrapWhole } from "../../words/wrap.ts";
import type { ShownNames } from "./names.ts";
import type { Painter } from "./paint.ts";

const INDENT = " ".repeat(4);

/** Only these: what else is known is in the sentence already. */
const SHOWN_FACTS: Readonly<Record<string, string>> = {
  template: "As JSON: ",
  candidates: "Candidates: ",
  event_types: "Event types: ",
  holder_pids: "Held by process: ",
};

export interface ErrorText {
  readonly message: string;
  readonly next: string;
  readonly facts?: Readonly<Record<string, unknown>>;
  /** For texts about messages; without it their ids are whole. */
  readonly names?: ShownNames;
}

/** The questions that an answer without an id may mean, each with its id. */
function questionLines({ facts = {}, names }: ErrorText): readonly string[] {
  const { questions } = facts;
  const all = Array.isArray(questions) ? (questions as readonly Readonly<Record<string, string>>[]) : [];
  return all.map(({ message_id: id = "", handle, body }) => `${names?.short(id) ?? id} ${handle}: ${body}`);
}

export function errorText(error: ErrorText, width: number, paint: Painter): string {
  const { message, next, facts = {} } = error;
  const questions = questionLines(error);
  // The questions are shown with their ids.
  const labels = Object.entries(SHOWN_FACTS).filter(([key]) => key !== "candidates" || questions.length === 0);
  const shown = labels.flatMap(([key, label]) => {
    const fact = facts[key];
    const text = Array.isArray(fact) ? fact.join(", ") : typeof fact === "string" ? fact : "";
    return text === "" ? [] : [`${label}${text}`];
  });
  const lines = [...questions, next, ...shown].map((text) => `${INDENT}${wrapWhole(text, width, INDENT)}\n`);
  return `${paint.red("tt:")} ${wrap(message, width, INDENT)}\n${lines.join("")}`;
}
