/** Answers, refusals and faults as results of a tool. */

import { ASK_PERSON_NEXT, Fault, SANDBOX_NEXT } from "../../core/fault.ts";
import { withSnakeKeys } from "../../core/letter-case.ts";
import { type Next, type Step, wordNext } from "../../core/next.ts";
import { isRefusal, type Refusal } from "../../core/refusal.ts";
import { jsonText } from "../../core/visible.ts";

export interface ToolResult {
  readonly content: { readonly type: "text"; readonly text: string }[];
  readonly structuredContent: Record<string, unknown>;
  readonly isError?: true;
  /** The protocol's own types allow any further field. */
  [key: string]: unknown;
}

/** `word` names an operation as this client calls it. */
export async function respond(run: () => Promise<object | Refusal>, word: (step: Step) => string): Promise<ToolResult> {
  try {
    const given: { readonly next?: Next } = await run();
    const answer = given.next === undefined ? given : { ...given, next: wordNext(given.next, word, "server") };
    return isRefusal(answer) ? failed(answer) : result(withSnakeKeys(answer) as Record<string, unknown>);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { code, message, nextInHarness, facts } = error;
    // The caller uses the MCP tools already.
    const next = nextInHarness === SANDBOX_NEXT ? ASK_PERSON_NEXT : nextInHarness;
    return failed({ error: code, message, next, facts });
  }
}

function failed({ error, message, next, facts }: { error: string; message: string; next: Next; facts: object }) {
  return { ...result({ error, message, next, ...facts }), isError: true as const };
}

function result(value: Record<string, unknown>): ToolResult {
  return { content: [{ type: "text", text: jsonText(value) }], structuredContent: value };
}
