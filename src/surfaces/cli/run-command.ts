/** Runs a command that was found, and tells every error in its one form with its exit code. */

import { Fault } from "../../core/fault.ts";
import { jsonText } from "../../core/visible.ts";
import type { Arguments, Command } from "./command.ts";
import { CliContext, type CliPorts, errorFor } from "./context.ts";
import { EXIT } from "./exit-codes.ts";
import { Refused } from "./granted.ts";
import { parsedOrNull } from "./parse.ts";
import { UsageError } from "./usage-error.ts";

/**
 * Runs a line that is a plain use of one of these commands. Null for any other: one that names none of them, asks for
 * help or is wrong. To answer such a line takes the table of all commands.
 */
export async function runPlainLine(
  words: readonly string[],
  ports: CliPorts,
  commands: readonly Command[],
): Promise<number | null> {
  const { command: named, args } = parsedOrNull(words, commands) ?? {};
  const command = named ?? commands.find(({ name }) => name === "");
  if (!command || !args || args.isSet("help") || args.isSet("version")) return null;
  return runCommand(command, args, ports);
}

export async function runCommand(command: Command, args: Arguments, ports: CliPorts): Promise<number> {
  const context = new CliContext(ports, args);
  try {
    return await command.run(context, args);
  } catch (error) {
    if (error instanceof UsageError) {
      const color = args.text("color");
      return await tellUsage(ports, { json: args.isSet("json"), text: args.isSet("text"), color }, error);
    }
    if (error instanceof Refused) return await context.refuse(error.refusal);
    if (error instanceof Fault) return await tellFault(context, error);
    throw error;
  } finally {
    await context.close();
  }
}

/** The line is wrong, so only its words and the surroundings tell who reads the answer. */
export async function tellUsage(
  ports: CliPorts,
  asked: { readonly json: boolean; readonly text: boolean; readonly color?: string | undefined },
  { message, next }: UsageError,
): Promise<number> {
  const json = asked.json || (!asked.text && ports.insideHarness());
  const text = json
    ? `${jsonText({ error: "usage", message, next })}\n`
    : errorFor(ports, { message, next }, asked.color);
  await ports.writeError(text);
  return EXIT.usage;
}

async function tellFault(context: CliContext, fault: Fault): Promise<number> {
  const { code, message, retry, outcomeUnknown, facts } = fault;
  const next = context.ports.insideHarness() ? fault.nextInHarness : fault.next;
  const told = { error: code, message, next, retry, ...(outcomeUnknown && { outcome_unknown: true }), ...facts };
  const json = await context.wantsJsonErrors();
  await context.ports.writeError(
    json ? `${jsonText(told)}\n` : errorFor(context.ports, { message, next, facts }, context.args.text("color")),
  );
  if (context.args.isSet("debug"))
    await context.ports.writeError(
      `${fault.stack}\n${fault.cause instanceof Error ? (fault.cause.stack ?? "") : ""}\n`,
    );
  return EXIT.fault;
}
