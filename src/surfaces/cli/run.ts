/** Runs one command line: parse, help or command. */
import { jsonText } from "../../core/visible.ts";
import type { Command } from "./command.ts";
import type { CliPorts } from "./context.ts";
import { EXIT } from "./exit-codes.ts";
import { type CommandGroup, flagsHelp, helpOf, overview } from "./help.ts";
import { parseAnyWords } from "./other-words.ts";
import { type ParsedLine, splitAtCommand } from "./parse.ts";
import { runCommand, tellUsage } from "./run-command.ts";
import { UsageError } from "./usage-error.ts";

export async function runCli(
  words: readonly string[],
  ports: CliPorts,
  table: { readonly bare: Command; readonly groups: readonly CommandGroup[] },
): Promise<number> {
  const commands = table.groups.flatMap((group) => group.commands);
  const { before, name, after } = splitAtCommand(words);
  if (name === "help" && after[0] === "flags") return print(ports, flagsHelp());
  const flag = COMMANDS_FOR_FLAGS.get(name ?? "");
  if (flag !== undefined) return runCli([...before, ...after, flag], ports, table);
  let line: ParsedLine;
  try {
    line = parseAnyWords(words, commands);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return tellUsage(ports, { json: words.includes("--json"), text: words.includes("--text") }, error);
  }
  const { command, family, args } = line;
  if (args.isSet("version"))
    return print(ports, `${args.isSet("json") ? jsonText({ version: ports.version }) : ports.version}\n`);
  if (args.isSet("help"))
    return print(
      ports,
      helpFor(command, family, () => overview(table.groups, ports.version)),
    );
  return runCommand(command ?? table.bare, args, ports);
}

/** `tt help wait` is `tt wait --help`. */
const COMMANDS_FOR_FLAGS = new Map([
  ["help", "--help"],
  ["version", "--version"],
]);

function helpFor(command: Command | null, family: readonly Command[], all: () => string): string {
  if (command) return helpOf(command);
  return family.length > 0 ? family.map(helpOf).join("\n") : all();
}

async function print(ports: CliPorts, text: string): Promise<number> {
  await ports.writeOut(text);
  return EXIT.done;
}
