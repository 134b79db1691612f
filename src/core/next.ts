/**
 * What the reader may do next. Operations in it are data: each surface names them as its reader calls them, so that a
 * person at a shell never reads of a tool, and a model never of a tool that it does not have.
 */
import type { OperationName } from "./operation-names.ts";

export interface Step {
  readonly do: OperationName;
  /** Input that the reader should give, in the names of the wire. */
  readonly with?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
}

/** What a reader at a shell can do itself, and what one behind an MCP server has to ask for. */
export type ByReader = Readonly<Record<"shell" | "server", string>>;

/** One sentence or two; the parts of a list are joined without anything between them. */
export type Next = string | readonly (string | Step | ByReader)[];

/** Without `word`, an operation is called by its own name. */
export function wordNext(
  next: Next,
  word: (step: Step) => string = (step) => step.do,
  reader: keyof ByReader = "shell",
): string {
  if (typeof next === "string") return next;
  return next.map((part) => (typeof part === "string" ? part : "do" in part ? word(part) : part[reader])).join("");
}
