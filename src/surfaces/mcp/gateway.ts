/**
 * One tool in place of many: it runs the operation that its arguments name, and without arguments lists those there are.
 * So a client pays for a short list of tools in every session, and still has them all. The answer is the operation's own.
 */
import type { RawInput } from "../../core/field.ts";
import { nearest } from "../../core/nearest.ts";
import { invalidInput, type Refusal } from "../../core/refusal.ts";
import type { Tool } from "./tool.ts";

export const GATEWAY = "tt";

/** It leads to the `tools` that it lists, and to the `core`, which clients have as tools, too. */
export function gatewayTo(tools: readonly Tool[], core: readonly Tool[]): Tool {
  const names = tools.map(({ name }) => name);
  const list: Tool = {
    name: GATEWAY,
    description: `Runs one of the other operations: ${names.join(", ")}. Without arguments: lists them with their fields.`,
    reads: false,
    schema: {
      type: "object",
      properties: { operation: { type: "string" }, arguments: { type: "object" } },
      additionalProperties: false,
    },
    run: async () => ({ operations: tools.map(entryOf) }),
  };
  const all = [...tools, ...core];
  return { ...list, leadsTo: (given) => route(all, given) ?? { tool: { ...list, reads: true }, given: {} } };
}

/** Null to list the operations. */
function route(tools: readonly Tool[], given: RawInput): ReturnType<NonNullable<Tool["leadsTo"]>> | null {
  const { operation, arguments: raw, ...others } = given;
  const [other] = Object.keys(others);
  if (other !== undefined)
    return invalidInput(other, `${GATEWAY} has no field ${JSON.stringify(other.slice(0, 60))}.`, INTO_ARGUMENTS);
  const input = objectIn(raw ?? {});
  const isNamed = operation !== undefined && operation !== null;
  if (!isNamed && input && Object.keys(input).length === 0) return null;
  const tool = tools.find(({ name }) => name === operation);
  if (!tool) return isNamed ? unknownOperation(operation, tools) : noOperation("is missing", tools);
  return input ? { tool, given: input } : invalidInput("arguments", "arguments is not an object.", INTO_ARGUMENTS);
}

const INTO_ARGUMENTS = "Give the fields of the operation as an object in arguments.";

/** Some models write an object without known fields as text. */
function objectIn(raw: unknown): RawInput | null {
  if (typeof raw === "object" && raw !== null && !Array.isArray(raw)) return { ...raw };
  if (typeof raw !== "string") return null;
  try {
    const parsed: unknown = JSON.parse(raw);
    return typeof parsed === "string" ? null : objectIn(parsed);
  } catch {
    return null;
  }
}

function noOperation(problem: string, tools: readonly Tool[]): Refusal {
  const names = tools.map(({ name }) => name);
  return invalidInput("operation", `operation ${problem}.`, `Give one of ${names.join(", ")}.`);
}

function unknownOperation(operation: unknown, tools: readonly Tool[]): Refusal {
  if (typeof operation !== "string") return noOperation("is not text", tools);
  const names = tools.map(({ name }) => name);
  const given = operation.slice(0, 60);
  const near = nearest(given, names);
  return invalidInput(
    "operation",
    `There is no operation ${JSON.stringify(given)}.`,
    near ? `Did you mean ${near}?` : `Use ${names.join(", ")}.`,
  );
}

/** A field that may be left out is marked with `?`. */
function entryOf({ name, description, schema }: Tool) {
  const { properties = {}, required = [] } = schema as {
    readonly properties?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    readonly required?: readonly string[];
  };
  const fields = Object.entries(properties).map(([field, shape]) => [
    required.includes(field) ? field : `${field}?`,
    Array.isArray(shape["enum"]) ? shape["enum"].join("|") : (shape["type"] ?? "any"),
  ]);
  return { name, summary: description, fields: Object.fromEntries(fields) };
}
