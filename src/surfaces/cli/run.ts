/** Runs one command line: parse, help or command, and every error in its one form with its exit code. */
import { Fault } from "../../ports/fault.ts";
import type { Arguments, Command } from "./command.ts";
import { CliContext, type CliPorts, errorFor } from "./context.ts";
import { EXIT } from "./exit-codes.ts";
import { type CommandGroup, helpOf, overview } from "./help.ts";
import { type ParsedLine, parseLine } from "./parse.ts";
import { UsageError } from "./usage-error.ts";

export async function runCli(
  words: readonly string[],
  ports: CliPorts,
  table: { readonly bare: Command; readonly groups: readonly CommandGroup[] },
): Promise<number> {
  const commands = table.groups.flatMap((group) => group.commands);
  let line: ParsedLine;
  try {
    line = parseLine(words, commands);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return tellUsage(ports, { json: words.includes("--json"), text: words.includes("--text") }, error);
  }
  const { command, family, args } = line;
  if (args.isSet("version")) return print(ports, `${ports.version}\n`);
  if (args.isSet("help"))
    return print(
      ports,
      helpFor(command, family, () => overview(table.groups, ports.version)),
    );
  return runCommand(command ?? table.bare, args, ports);
}

function helpFor(command: Command | null, family: readonly Command[], all: () => string): string {
  if (command) return helpOf(command);
  return family.length > 0 ? family.map(helpOf).join("\n") : all();
}

async function runCommand(command: Command, args: Arguments, ports: CliPorts): Promise<number> {
  const context = new CliContext(ports, args);
  try {
    return await command.run(context, args);
  } catch (error) {
    if (error instanceof UsageError) {
      return await tellUsage(ports, { json: args.isSet("json"), text: args.isSet("text") }, error);
    }
    if (error instanceof Fault) return await tellFault(context, error);
    throw error;
  } finally {
    await context.close();
  }
}

async function print(ports: CliPorts, text: string): Promise<number> {
  await ports.writeOut(text);
  return EXIT.done;
}

/** The line is wrong, so only its words and the surroundings tell who reads the answer. */
async function tellUsage(
  ports: CliPorts,
  asked: { readonly json: boolean; readonly text: boolean },
  { message, next }: UsageError,
): Promise<number> {
  const json = asked.json || (!asked.text && ports.insideHarness());
  const text = json ? `${JSON.stringify({ error: "usage", message, next })}\n` : errorFor(ports, { message, next });
  await ports.writeError(text);
  return EXIT.usage;
}

async function tellFault(context: CliContext, fault: Fault): Promise<number> {
  const { code, message, next, retry, outcomeUnknown, facts } = fault;
  const told = { error: code, message, next, retry, ...(outcomeUnknown && { outcome_unknown: true }), ...facts };
  const json = await context.wantsJsonErrors();
  await context.ports.writeError(
    json ? `${JSON.stringify(told)}\n` : errorFor(context.ports, { message, next, facts }),
  );
  if (context.args.isSet("debug"))
    await context.ports.writeError(
      `${fault.stack}\n${fault.cause instanceof Error ? (fault.cause.stack ?? "") : ""}\n`,
    );
  return EXIT.fault;
}
