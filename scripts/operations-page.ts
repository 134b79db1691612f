/** The text of docs/operations.md, from the operations and the commands. `npm run docs` writes it; a test compares it. */
import type { JsonSchema } from "../src/core/field.ts";
import { toSnakeCase } from "../src/core/letter-case.ts";
import type { Needs, Operation } from "../src/engine/operation.ts";
import type { Command } from "../src/surfaces/cli/command.ts";
import { allFieldsOf } from "../src/surfaces/door.ts";
import { FIELD_MEANINGS } from "./field-meanings.ts";

const INTRODUCTION = `# Operations

Written by \`npm run docs\`; do not edit it.

Commands, MCP tools and functions of the library run these operations, and every door gives the same answer. What happens
to a message on its way is described in [messages.md](messages.md).
Names of fields are those of JSON; the library writes them in camel case. Besides the refusals listed here, every
operation may refuse with \`invalid_input\`, \`invalid_path\`, \`ambiguous_id\`, \`room_not_found\`, \`agent_id_required\` and
\`session_ended\`. The first four characters of the id of a room, a note or a message are enough if no other id begins with them.

The MCP server offers the operations of the set *core* as tools. Those of the set *gateway* are reached through its tool
\`tt\`, or are tools with \`tt mcp --tools all\`.
`;

export function operationsPage(operations: readonly Operation[], commands: readonly Command[]): string {
  const sections = operations.map((operation) =>
    section(
      operation,
      commands.filter(({ of }) => of === operation.name),
    ),
  );
  return [INTRODUCTION, ...sections].join("\n");
}

function section(operation: Operation, commands: readonly Command[]): string {
  const { name, summary, needs, refusals, mcp } = operation;
  return [
    `## ${name}`,
    "",
    summary,
    "",
    `- Needs: ${needsText(needs)}`,
    `- MCP: ${mcp === "none" ? "no tool" : mcp}`,
    ...(commands.length > 0 ? [`- Commands: ${commands.map((command) => `\`tt ${command.name}\``).join(", ")}`] : []),
    ...(refusals.length > 0 ? [`- Refusals: ${refusals.map((code) => `\`${code}\``).join(", ")}`] : []),
    "",
    ...fieldRows(operation),
  ].join("\n");
}

const STORE = { read: "reads only", change: "changes the store" };
const CALLER = {
  anyone: "anyone may call",
  known: "the caller must be known",
  identified: "the caller need not be known yet",
};
const ROOM = {
  none: "",
  project: "about the project of the directory, or of the named room",
  existing: "the room must exist",
  joined: "creates and joins the directory's room if there is none",
  found: "creates and joins the directory's room if there is none and the message can be sent",
};

function needsText({ store, caller, room, token }: Needs): string {
  const held = token ? "the caller must hold the stick" : "";
  return `${[STORE[store], CALLER[caller], ROOM[room], held].filter((text) => text !== "").join("; ")}.`;
}

function fieldRows(operation: Operation): readonly string[] {
  const fields = Object.entries(allFieldsOf(operation));
  if (fields.length === 0) return ["No fields.", ""];
  const rows = fields.map(([key, { schema, required, aliases = [], about }]) => {
    const field = toSnakeCase(key);
    const meaning = about || FIELD_MEANINGS[`${operation.name}.${field}`] || FIELD_MEANINGS[field];
    if (!meaning) throw new Error(`${operation.name}.${field} has no meaning yet: add it to scripts/field-meanings.ts`);
    const others = aliases.length > 0 ? `; also \`${aliases.join("`, `")}\`` : "";
    return `| \`${field}\` | ${typeText(schema)} | ${required ? "yes" : ""} | ${meaning}${others} |`;
  });
  return ["| field | type | required | meaning |", "| --- | --- | --- | --- |", ...rows, ""];
}

function typeText({ type, enum: choices, items, anyOf }: JsonSchema): string {
  if (Array.isArray(choices)) return choices.map((choice) => `\`${String(choice)}\``).join(" or ");
  if (Array.isArray(anyOf)) return anyOf.map((one) => typeText(one as JsonSchema)).join(" or ");
  if (type === "array") return `list of ${typeText((items ?? {}) as JsonSchema)}`;
  return TYPES[String(type)] ?? "any";
}

const TYPES: Readonly<Record<string, string>> = {
  string: "text",
  integer: "whole number",
  number: "number",
  boolean: "true or false",
  object: "object",
};
