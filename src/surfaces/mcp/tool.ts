/**
 * One tool of the MCP server. A tool names its input once, as a zod schema; the answer is exactly the operation's
 * answer, in the names of the wire. A refusal is a result that says what to do next, never a protocol error.
 */
import type { z } from "zod";
import type { Refusal } from "../../domain/refusal.ts";
import type { ToolCall } from "./call.ts";

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
