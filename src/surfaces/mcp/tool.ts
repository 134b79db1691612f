/**
 * One tool of the MCP server. A tool names its input once, as a zod schema; the answer is exactly the operation's
 * answer, in the names of the wire. A refusal is a result that says what to do next, never a protocol error.
 */
import type { Tool as ListedTool } from "@modelcontextprotocol/server";
import * as z from "zod";
import type { Refusal } from "../../core/refusal.ts";
import type { ToolCall } from "./call.ts";
import { SHOWN_AS } from "./fields.ts";

export interface Tool {
  readonly name: string;
  /** At most 400 characters: every client pays for them in every session. */
  readonly description: string;
  /** It changes nothing. */
  readonly reads: boolean;
  readonly input: z.ZodObject;
  run(call: ToolCall, input: unknown): Promise<object | Refusal>;
}

interface Definition<Input extends z.ZodObject> {
  readonly name: string;
  readonly description: string;
  readonly reads?: boolean;
  readonly input: Input;
  readonly run: (call: ToolCall, input: z.output<Input>) => Promise<object | Refusal>;
}

export function tool<Input extends z.ZodObject>(definition: Definition<Input>): Tool {
  const { name, description, reads = false, input, run } = definition;
  // The server has parsed the input with this very schema.
  return { name, description, reads, input, run: (call, parsed) => run(call, parsed as z.output<Input>) };
}

/** As clients see it. Every client pays for it, so what the protocol takes for granted is left out. */
export function listed({ name, description, reads, input }: Tool): ListedTool {
  const annotations = reads
    ? { readOnlyHint: true, openWorldHint: false }
    : { readOnlyHint: false, destructiveHint: false, openWorldHint: false };
  const inputSchema = schemaOf(input);
  return { name, description, inputSchema: inputSchema as ListedTool["inputSchema"], annotations };
}

function schemaOf(type: z.ZodType): Record<string, unknown> {
  const override = ({ zodSchema, jsonSchema }: { zodSchema: unknown; jsonSchema: Record<string, unknown> }) => {
    const shown = (zodSchema as z.ZodType).meta()?.[SHOWN_AS];
    delete jsonSchema[SHOWN_AS];
    if (shown instanceof z.ZodType) Object.assign(jsonSchema, schemaOf(shown));
    withoutBounds(jsonSchema);
  };
  const { $schema: _, ...schema } = z.toJSONSchema(type, { io: "input", override }) as Record<string, unknown>;
  return schema;
}

/** Those that every whole number has. */
function withoutBounds(schema: Record<string, unknown>): void {
  if (schema["minimum"] === Number.MIN_SAFE_INTEGER) delete schema["minimum"];
  if (schema["maximum"] === Number.MAX_SAFE_INTEGER) delete schema["maximum"];
}
