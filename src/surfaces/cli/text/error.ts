/** An error for a person: what is wrong, and below it the way on. */
import type { Painter } from "./paint.ts";
import { wrap } from "./wrap.ts";

const INDENT = " ".repeat(4);

export interface ErrorText {
  readonly message: string;
  readonly next: string;
  /** A form to fill in, shown on lines of its own. */
  readonly template?: unknown;
}

export function errorText({ message, next, template }: ErrorText, width: number, paint: Painter): string {
  const lines = [next, ...(typeof template === "string" ? [template] : [])].map((text) => wrap(text, width, INDENT));
  return `${paint.bold("tt:")} ${wrap(message, width, INDENT)}\n${lines.map((line) => `${INDENT}${line}\n`).join("")}`;
}
