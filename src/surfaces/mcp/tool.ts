/**
 * One tool of the MCP server. Its input schema and its decoding come from the operation; its answer is exactly the
 * operation's answer, in the names of the wire. A refusal is a result that says what to do next, never a protocol error.
 */
import type { Tool as ListedTool } from "@modelcontextprotocol/server";
import * as z from "zod";
import { schemaOf } from "../../core/decode-input.ts";
import type { Fields, RawInput } from "../../core/field.ts";
import { invalidInput, type Refusal } from "../../core/refusal.ts";
import type { Needs, Operation } from "../../engine/operation.ts";
import { allFieldsOf, perform } from "../door.ts";
import type { ToolCall } from "./call.ts";
import { SHOWN_AS } from "./fields.ts";

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

interface Definition<Input extends z.ZodObject> {
  readonly name: string;
  /** At most 400 characters: every client pays for them in every session. */
  readonly description: string;
  readonly reads?: boolean;
  readonly input: Input;
  readonly run: (call: ToolCall, input: z.output<Input>) => Promise<object | Refusal>;
}

export function tool<Input extends z.ZodObject>(definition: Definition<Input>): Tool {
  const { name, description, reads = false, input, run } = definition;
  return {
    name,
    description,
    reads,
    schema: zodSchemaOf(input),
    async run(call, given) {
      const parsed = input.safeParse(given);
      if (parsed.success) return run(call, parsed.data);
      return wrongArgument(name, parsed.error.issues[0]);
    },
  };
}

/** As clients see it. Every client pays for it, so what the protocol takes for granted is left out. */
export function listed({ name, description, reads, schema }: Tool): ListedTool {
  const annotations = reads
    ? { readOnlyHint: true, openWorldHint: false }
    : { readOnlyHint: false, destructiveHint: false, openWorldHint: false };
  return { name, description, inputSchema: schema as ListedTool["inputSchema"], annotations };
}

function zodSchemaOf(type: z.ZodType): Record<string, unknown> {
  const override = ({ zodSchema, jsonSchema }: { zodSchema: unknown; jsonSchema: Record<string, unknown> }) => {
    const shown = (zodSchema as z.ZodType).meta()?.[SHOWN_AS];
    delete jsonSchema[SHOWN_AS];
    if (shown instanceof z.ZodType) Object.assign(jsonSchema, zodSchemaOf(shown));
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

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

function wrongArgument(name: string, issue: Issue | undefined): Refusal {
  const field = issue?.path.map(String).join(".") || "arguments";
  const problem = issue?.message ?? "Invalid input";
  return invalidInput(field, `${name}: ${field}: ${problem}.`, `Correct ${field} and call ${name} again.`);
}
