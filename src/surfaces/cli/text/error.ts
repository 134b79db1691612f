/**
 * An error for a person: what is wrong, what to do next, and the facts that the next step mentions. Only the words of
 * the facts are never broken: a person copies them.
 */
import type { Painter } from "./paint.ts";
import { wrap, wrapWhole } from "./wrap.ts";

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
}

export function errorText({ message, next, facts = {} }: ErrorText, width: number, paint: Painter): string {
  const shown = Object.entries(SHOWN_FACTS).flatMap(([key, label]) => {
    const fact = facts[key];
    const text = Array.isArray(fact) ? fact.join(", ") : typeof fact === "string" ? fact : "";
    return text === "" ? [] : [`${label}${text}`];
  });
  const lines = [next, ...shown].map((text) => `${INDENT}${wrapWhole(text, width, INDENT)}\n`);
  return `${paint.bold("tt:")} ${wrap(message, width, INDENT)}\n${lines.join("")}`;
}
