/**
 * One tool of the MCP server. Its input schema and its decoding come from the operation; its answer is exactly the
 * operation's answer, in the names of the wire. A refusal is a result that says what to do next, never a protocol error.
 */
import type { Tool as ListedTool } from "@modelcontextprotocol/server";
import { schemaOf } from "../../core/decode-input.ts";
import type { Fields, RawInput } from "../../core/field.ts";
import type { Refusal } from "../../core/refusal.ts";
import type { Needs, Operation } from "../../engine/operation.ts";
import { allFieldsOf, perform } from "../door.ts";
import type { ToolCall } from "./call.ts";

export interface Tool {
  readonly name: string;
  readonly description: string;
  /** It changes nothing. */
  readonly reads: boolean;
  readonly schema: Readonly<Record<string, unknown>>;
  /** Of the gateway: the tool that these arguments name, and what it is given. */
  readonly leadsTo?: (given: RawInput) => { readonly tool: Tool; readonly given: RawInput } | Refusal;
  run(call: ToolCall, given: RawInput): Promise<object | Refusal>;
}

/** The tool that an operation is. */
export function toolOf<N extends Needs, F extends Fields, Answer extends object>(
  operation: Operation<N, F, Answer>,
): Tool {
  const { name, summary, needs } = operation;
  return {
    name,
    description: summary,
    reads: needs.store === "read",
    schema: schemaOf(allFieldsOf(operation)),
    run: (call, given) => perform(operation, call.door, given, call.ofOperation),
  };
}

/** As clients see it. Every client pays for it, so what the protocol takes for granted is left out. */
export function listed({ name, description, reads, schema }: Tool): ListedTool {
  const annotations = reads
    ? { readOnlyHint: true, openWorldHint: false }
    : { readOnlyHint: false, destructiveHint: false, openWorldHint: false };
  return { name, description, inputSchema: schema as ListedTool["inputSchema"], annotations };
}
